// train --prove, and verify: trees that prove that no other choice of features is much better.

#include <unistd.h>

#include <algorithm>
#include <random>

#include "certify/verify_budget.hpp"

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
