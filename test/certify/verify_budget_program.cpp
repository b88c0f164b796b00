// train --certify with a feature budget, and verify: the bound for every other choice of features.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "certify/verify_program.hpp"

class CliVerifyBudget : public CliVerify {
 protected:
  // 300 rows of 12 features; the first three decide the class, with noise.
  void SetUp() override {
    std::string text, weights;
    std::uint64_t state = 7;
    const auto next = [&] {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 40) / (1 << 24);
    };
    for (int i = 0; i < 300; ++i) {
      double x[12];
      for (double& each : x) each = next() < 0.5 ? 0 : 0.1 + next();
      const double score = x[0] - x[1] + 0.7 * x[2] + 0.8 * (next() - 0.5);
      text += score > 0.3 ? "+1" : "-1";
      for (int j = 0; j < 12; ++j) {
        if (x[j] != 0) text += fmt::format(" {}:{:.4f}", j + 1, x[j]);
      }
      text += "\n";
      weights += fmt::format("{}\n", 1 + i % 3);
    }
    dir.write("a.svm", text);
    dir.write("w", weights);
  }
  void budget(Words more = {}) const {
    more.insert(more.begin(), {"--solver", "budget", "--features", "3"});
    certify(more);
  }
  Json claim() const {
    return Json::parse(lines_of(ScratchDir::slurp(dir.file("m.thresh"))).at(1)).at("certificate");
  }
  void refuses(const std::function<void(Json& certificate)>& change, const std::string& why) const {
    forge([&](Json& header) { change(header["certificate"]); });
    EXPECT_TRUE(contains(refused(), why)) << why;
  }
};

TEST_F(CliVerifyBudget, TheBoundIsToldAndHolds) {
  const std::string told = good(
      {"train", "a.svm", "-o", "m.thresh", "--certify", "--solver", "budget", "--features", "3"});
  EXPECT_TRUE(contains(told, "certificate: mean logistic loss + "));
  EXPECT_TRUE(contains(told, "certificate: no other choice of 3 features lowers the objective by"));
  EXPECT_TRUE(contains(told, "of what features could gain over none)"));
  const std::string text = good({"verify", "m.thresh", "a.svm"});
  EXPECT_TRUE(contains(text, "no other choice of 3 features"));
  EXPECT_TRUE(contains(text, "screening"));
  EXPECT_TRUE(contains(text, "the certificate holds"));
  const Json held = claim();
  EXPECT_LT(held.at("bound"), held.at("objective"));
  EXPECT_LT(held.at("objective"), held.at("without_features"));
}

TEST_F(CliVerifyBudget, WithEveryLossAndKindOfRows) {
  for (const char* loss : {"logistic", "squared", "squared-hinge"}) {
    budget({"--loss", loss});
    verified();
    budget({"--loss", loss, "--keep", "7,9"});
    verified();
    EXPECT_EQ(claim().at("keep"), Json::array({7, 9}));
    budget({"--loss", loss, "--ridge", "0.5", "--no-intercept"});
    verified();
  }
  budget({"--class-weight", "balanced"});
  verified();
  budget({"--task", "regression", "--loss", "squared"});
  verified();
  budget({"--weights", "w"});
  EXPECT_TRUE(
      contains(good({"verify", "m.thresh", "a.svm", "--weights", "w"}), "certificate holds"));
  certify({"--solver", "budget", "--density", "30%", "--ridge", "1"});
  verified();
  certify({"--solver", "budget"});  // held-out rows choose the size, too
  verified();
}

TEST_F(CliVerifyBudget, OfATableAndOfFewRows) {
  std::string text = "income,year,share,y\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{},{},0.{},{}\n", 20000 + i * 377 % 9000, 1990 + i * 13 % 30, i * 7 % 10,
                        (i * 377 % 9000 > 4000) == (i % 9 != 0) ? "a" : "b");
  }
  dir.write("t.csv", text);
  const Words words{"train",     "t.csv",    "-q",     "-o",         "m.thresh",
                    "--certify", "--solver", "budget", "--features", "1"};
  silent(words);
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "t.csv"}), "the certificate holds"));
  dir.write("a.svm", "+1 1:1 2:1\n-1 2:1\n+1 1:1\n-1 3:1\n");  // too few to hold some out
  certify({"--solver", "budget", "--features", "1"});
  verified();
}

TEST_F(CliVerifyBudget, EveryMutationIsRefused) {
  budget({"--keep", "7"});
  const std::string whole = ScratchDir::slurp(dir.file("m.thresh"));
  const Json held = claim();
  for (const auto& [key, value] : held.items()) {
    dir.write("m.thresh", whole);
    refuses([&](Json& c) { c.erase(key); }, "");
    dir.write("m.thresh", whole);
    refuses([&](Json& c) { c[key] = "moon"; }, "");
    if (!value.is_number()) continue;
    dir.write("m.thresh", whole);
    refuses([&](Json& c) { c[key] = value.get<double>() * 1.01 + 1; }, "");
    if (value.is_number_unsigned()) {
      dir.write("m.thresh", whole);
      refuses([&](Json& c) { c[key] = value.get<std::uint64_t>() + 1; }, "");
    }
    if (value.is_number_float()) {
      for (const double factor : {1 - 1e-9, 1 + 1e-9}) {
        dir.write("m.thresh", whole);
        refuses([&](Json& c) { c[key] = value.get<double>() * factor; }, "");
      }
    }
  }
  const auto refuses_anew = [&](const std::function<void(Json&)>& change, const std::string& why) {
    dir.write("m.thresh", whole);
    refuses(change, why);
  };
  refuses_anew([](Json& c) { c["keep"] = Json::array(); }, "keep: ");
  refuses_anew([](Json& c) { c["keep"] = {8}; }, "keep: ");
  refuses_anew([](Json& c) { c["proved_in"].push_back(11); }, "screening: ");
  refuses_anew([](Json& c) { c["dual"]["intercept"] = 0.3; }, "bound: ");
  refuses_anew([](Json& c) { c["dual"]["weights"][0] = 5.5; }, "bound: ");
  refuses_anew([](Json& c) { c["dual"]["weights"].erase(0); }, "damaged");
  refuses_anew([](Json& c) { c["dual"]["features"][0] = 99; }, "damaged");
  refuses_anew([](Json& c) { c["ridge"] = -1; }, "ridge");
  dir.write("m.thresh", whole);
  forge([](Json& header) { header["options"]["features"] = 4; });
  EXPECT_TRUE(contains(refused(), "features: 4, not 3"));
  dir.write("m.thresh", whole);
  forge([](Json& header) { header["intercept"] = header["intercept"].get<double>() + 1e-4; });
  EXPECT_TRUE(contains(refused(), "objective: "));
  dir.write("m.thresh", whole);
  replace_in_data("-1 ", "+1 ");
  EXPECT_TRUE(contains(refused(), "data: the rows"));
}

TEST_F(CliVerifyBudget, BranchAndBoundReachesTheShare) {
  for (const char* loss : {"logistic", "squared", "squared-hinge"}) {
    for (const Words& more : {Words{}, Words{"--keep", "7"}, Words{"--no-intercept"}}) {
      Words words{"--loss", loss, "--ridge", "0.01", "--prove", "0.1%"};
      words.insert(words.end(), more.begin(), more.end());
      budget(words);
      verified();
      const Json held = claim();
      ASSERT_TRUE(held.contains("tree")) << loss;
      EXPECT_GT(held.at("tree").size(), 2U);
      EXPECT_GE(held.at("bound").get<double>(), 0.999 * held.at("objective").get<double>());
    }
  }
  const std::string told = good({"train", "a.svm", "--solver", "budget", "-o", "m.thresh",
                                 "--features", "3", "--ridge", "0.01", "--prove", "0.1%"});
  EXPECT_TRUE(contains(told, "3 of 12 features are in every best choice, 9 in none")) << told;
}

TEST_F(CliVerifyBudget, ProvedOfWeightsClassesAndTables) {
  budget({"--ridge", "0.01", "--prove", "0.1%", "--weights", "w"});
  EXPECT_TRUE(claim().contains("tree"));
  EXPECT_TRUE(
      contains(good({"verify", "m.thresh", "a.svm", "--weights", "w"}), "certificate holds"));
  budget({"--ridge", "0.01", "--prove", "0.1%", "--task", "regression", "--loss", "squared"});
  verified();
  EXPECT_GE(claim().at("bound").get<double>(), 0.999 * claim().at("objective").get<double>());
  std::string text = "a,b,c,d,e,y\n";
  for (int i = 0; i < 200; ++i) {
    const int a = i * 377 % 90, b = i * 131 % 70, c = i * 17 % 50;
    text += fmt::format("{},{},{},{},{},{}\n", 2000 + a, b, 30 * c, a + b, b - c,
                        (a + 2 * b > c + 60) == (i % 7 != 0) ? "x" : "z");
  }
  dir.write("t.csv", text);
  const std::string told = good({"train", "t.csv", "--solver", "budget", "-o", "m.thresh",
                                 "--features", "2", "--ridge", "0.01", "--prove", "0.1%"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "t.csv"}), "the certificate holds")) << told;
  EXPECT_GE(claim().at("bound").get<double>(), 0.999 * claim().at("objective").get<double>());
}

TEST_F(CliVerifyBudget, EveryMutationOfATreeIsRefused) {
  budget({"--ridge", "0.01", "--prove", "0.1%"});
  verified();
  const std::string whole = ScratchDir::slurp(dir.file("m.thresh"));
  const Json tree = claim().at("tree");
  const auto refuses_anew = [&](const std::function<void(Json&)>& change, const std::string& why) {
    dir.write("m.thresh", whole);
    refuses(change, why);
  };
  const std::size_t last = tree.size() - 1;
  refuses_anew([](Json& c) { c.erase("tree"); }, "bound: ");
  refuses_anew([](Json& c) { c["tree"] = Json::array(); }, "damaged");
  refuses_anew([&](Json& c) { c["tree"].erase(last); }, "the tree lacks nodes");
  refuses_anew([](Json& c) { c["tree"].push_back("-"); }, "behind its end");
  refuses_anew([](Json& c) { c["tree"][0] = "-"; }, "behind its end");
  refuses_anew([](Json& c) { c["tree"] = Json::array({"-"}); }, "bound: ");
  refuses_anew([](Json& c) { c["tree"][0] = 3; }, "damaged");
  for (const char* text : {"", "x", "- ", "- 0.1 ", "- 0.1 3", "- 0.1 3:", "- 0.1 3:x",
                           "- 0.1 3:1 2:1", "- 0.1 99:1", "- nan", "99", "-1", "0"}) {
    refuses_anew([&](Json& c) { c["tree"][last] = text; }, "");
  }
  refuses_anew([](Json& c) { c["bound"] = c["bound"].get<double>() * 1.001; }, "bound: ");
  refuses_anew([](Json& c) { c["bound"] = c["bound"].get<double>() * (1 + 1e-9); }, "bound: ");
  refuses_anew([](Json& c) { c["bound"] = c["bound"].get<double>() * (1 - 1e-9); }, "bound: ");
  std::size_t changed = 0;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const std::string text = tree[node];
    const std::size_t branch_end = std::min(text.find(' '), text.size());
    if (text[0] != '-') {  // another feature is fixed
      const std::string other = text.substr(0, branch_end) == "5" ? "6" : "5";
      refuses_anew([&](Json& c) { c["tree"][node] = other + text.substr(branch_end); }, "");
      ++changed;
    } else if (branch_end < text.size()) {  // a leaf without its point, and with another one
      refuses_anew([&](Json& c) { c["tree"][node] = "-"; }, "bound: ");
      refuses_anew([&](Json& c) { c["tree"][node] = "- 0.5" + text.substr(text.find(' ', 2)); },
                   "bound: ");
      ++changed;
    }
  }
  EXPECT_GT(changed, 2U);
}

TEST_F(CliVerifyBudget, ProofsThatEndEarlyAreTrue) {
  Words words{"train", "a.svm",   "--solver", "budget",  "-o",    "m.thresh",     "--features",
              "3",     "--ridge", "0.01",     "--prove", "0.01%", "--prove-time", "0s"};
  const Result early = run(command(words));
  EXPECT_EQ(early.exit, 0) << early;
  EXPECT_TRUE(contains(early.err, "--prove 0.01% was not reached: the time")) << early;
  verified();
  words.back() = "1m";
  good(words);
  verified();
  const std::string one = ScratchDir::slurp(dir.file("m.thresh"));
  good(words);
  EXPECT_EQ(ScratchDir::slurp(dir.file("m.thresh")), one);
}

TEST_F(CliVerifyBudget, ProveIsForBudgetAndForShares) {
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--prove", "1%"}),
                       "--prove requires the solver budget"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--solver", "budget", "--features", "3", "--prove", "1"}),
               "write a percentage"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--solver", "budget", "--features", "3", "--prove", "0%"}),
               "0.01%"));
  EXPECT_TRUE(contains(
      bad(2, {"train", "a.svm", "--solver", "budget", "--features", "3", "--prove", "100%"}),
      "100%"));
  EXPECT_TRUE(contains(
      bad(2, {"train", "a.svm", "--solver", "budget", "--features", "3", "--prove-time", "9s"}),
      "--prove-time requires --prove"));
}

TEST_F(CliVerifyBudget, TheFrontierHasItsBound) {
  const Json found = good_json({"frontier", "a.svm", "--budgets", "1,2,3,5", "--certify", "--prove",
                                "0.1%", "--trace", "points.jsonl", "--json"});
  const Json& points = found.at("solvers").at(0).at("points");
  double last = 1e300;
  for (const Json& point : points) {
    EXPECT_GE(point.at("bound").get<double>(), 0.999 * point.at("objective").get<double>());
    EXPECT_LE(point.at("bound").get<double>(), point.at("objective").get<double>());
    EXPECT_LE(point.at("objective").get<double>(), last);
    last = point.at("objective");
  }
  // The same objective as that of one model of this size.
  const Json ridge = found.at("solvers").at(0).at("ridge");
  EXPECT_GT(ridge.get<double>(), 0);
  const std::string table = good({"frontier", "a.svm", "--budgets", "1,2,3", "--certify"});
  EXPECT_TRUE(contains(table, "no choice below")) << table;
  EXPECT_TRUE(contains(table, "objective: mean loss + ")) << table;
  good({"report", "points.jsonl", "-o", "page.html"});
  EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("page.html")), "no choice of features is below"));
  EXPECT_TRUE(contains(bad(2, {"frontier", "a.svm", "--solvers", "ftrl", "--certify"}),
                       "--certify requires the solver budget"));
}

TEST_F(CliVerifyBudget, SeveralClasses) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    const int c = i * 7 % 3;
    text += fmt::format("{} {}:1 {}:0.{}\n", i % 11 == 0 ? (c + 1) % 3 : c, c + 1, 4 + i % 20,
                        1 + i % 3);
  }
  dir.write("a.svm", text);
  certify({"--solver", "budget", "--features", "2"});
  const std::string found = good({"verify", "m.thresh", "a.svm"});
  EXPECT_TRUE(contains(found, "class 2: bound"));
  EXPECT_TRUE(contains(found, "the certificate holds"));
  refuses([](Json& c) { c["classes"][1]["bound"] = 0.1; }, "class 1: bound: ");
}

TEST_F(CliVerifyBudget, ProvesForEachOfSeveralClasses) {
  std::string text, weights;
  std::mt19937 random(5);
  const auto next = [&] { return static_cast<double>(random()) / 0x1p32; };
  for (int i = 0; i < 300; ++i) {
    double x[9];
    for (double& each : x) each = 0.1 + next();
    const double scores[] = {x[0] - x[3] + 0.5 * x[6] + next(), x[1] - x[4] + 0.5 * x[7] + next(),
                             x[2] - x[5] + 0.5 * x[8] + next()};
    text += fmt::format("{}", std::max_element(scores, scores + 3) - scores);
    for (int j = 0; j < 9; ++j) text += fmt::format(" {}:{:.4f}", j + 1, x[j]);
    text += "\n";
    weights += fmt::format("{}\n", 1 + i % 4);
  }
  dir.write("a.svm", text);
  dir.write("w", weights);
  for (const Words& more : {Words{}, Words{"--keep", "9"}, Words{"--weights", "w"}}) {
    Words words{"--solver", "budget", "--features", "3", "--ridge", "0.001", "--prove", "0.5%"};
    words.insert(words.end(), more.begin(), more.end());
    certify(words);
    Words check{"verify", "m.thresh", "a.svm"};
    if (more.size() == 2 && more[0] == "--weights")
      check.insert(check.end(), more.begin(), more.end());
    EXPECT_TRUE(contains(good(check), "the certificate holds"));
    const Json classes = claim().at("classes");
    ASSERT_EQ(classes.size(), 3U);
    std::size_t trees = 0;
    for (const Json& each : classes) {
      EXPECT_GE(each.at("bound").get<double>(), 0.995 * each.at("objective").get<double>());
      trees += each.contains("tree") ? 1 : 0;
    }
    EXPECT_GT(trees, 1U);
  }
  certify({"--solver", "budget", "--features", "3", "--ridge", "0.001", "--prove", "0.5%"});
  const std::string whole = ScratchDir::slurp(dir.file("m.thresh"));
  for (std::size_t c = 0; c < 3; ++c) {
    if (!claim().at("classes").at(c).contains("tree")) continue;
    refuses([&](Json& all) { all["classes"][c]["tree"].erase(0); }, "the tree ");
    dir.write("m.thresh", whole);
  }
}

TEST_F(CliVerifyBudget, TheSameBytesOnAnyNumberOfCores) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "there is one core";
  const auto prove_on = [&](const std::string& cores) {
    Command proof =
        command({"-c", cores, THRESH_BINARY, "train", "a.svm", "-q", "-o", "m.thresh", "--solver",
                 "budget", "--features", "3", "--ridge", "0.01", "--prove", "0.01%"});
    proof.program = "/usr/bin/taskset";
    const Result result = run(proof);
    EXPECT_EQ(result.exit, 0) << result;
    return ScratchDir::slurp(dir.file("m.thresh"));
  };
  EXPECT_EQ(prove_on("0"), prove_on("0,1"));
  EXPECT_TRUE(claim().contains("tree"));
}

TEST_F(CliVerifyBudget, WeightsMarkWhatIsProved) {
  budget({"--ridge", "20"});
  const Json proved = claim().at("proved_in");
  ASSERT_FALSE(proved.empty());
  std::size_t marked = 0;
  for (const std::string& line : lines_of(good({"weights", "m.thresh"}))) {
    marked += line.ends_with("\tproved") ? 1 : 0;
  }
  EXPECT_EQ(marked, proved.size());
  const Json shown = good_json({"weights", "m.thresh", "--json"});
  for (const Json& w : shown.at("weights")) {
    const bool is_proved = std::find(proved.begin(), proved.end(), w.at("index")) != proved.end();
    EXPECT_EQ(w.contains("proved"), is_proved);
  }
}

TEST_F(CliVerifyBudget, WhatHasNoRidgeHasNoCertificate) {
  for (const Words& more : {Words{"--beta", "1"}, Words{"--passes", "1"}, Words{"--steps", "50"}}) {
    Words words{"train", "a.svm", "--certify", "--solver", "budget", "--features", "3"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_TRUE(contains(bad(2, words), "ridge"));
  }
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "budget", "--features",
                               "3", "--loss", "hinge"}),
                       "curvature"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "budget", "--features",
                               "3", "--ridge", "1", "--prune", "1"}),
                       "--prune"));
}
