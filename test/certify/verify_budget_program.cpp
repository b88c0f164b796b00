// train --certify with a feature budget, and verify: the bound for every other choice of features.

#include "certify/verify_budget.hpp"

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
