// train --certify with a feature budget, and verify: the bound for every other choice of features.

#include <fmt/format.h>

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
