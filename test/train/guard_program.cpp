// What a user hears of a run that got out of control, and of steps that are not safe.

#include <fmt/format.h>

#include <algorithm>

#include "tools/program.hpp"

namespace {

class CliGuard : public CliTest {
 protected:
  // Rows of both classes, of which two, in lines 9 and 10, are far too long for a step of 1.
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += fmt::format("{} 1:{} 2:0.5\n", i % 2 == 0 ? 1 : -1, i == 7 || i == 8 ? 1e5 : 0.5);
    }
    dir.write("a.svm", "# a comment\n" + text);
  }

  const Words fobos = {"train",   "a.svm",      "--solver",      "fobos",   "--loss",
                       "squared", "--schedule", "constant",      "--order", "sequential",
                       "-o",      "m.thresh",   "--no-intercept"};
  Words with(Words more) const {
    Words all = fobos;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(CliGuard, ARunThatRecoversSaysWhereAndGoesOn) {
  const Result result = thresh(with({"--eta", "1"}));
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(
      contains(result.err, "thresh: warning: --eta 1 is too large for rows as long as 1e+05"));
  EXPECT_TRUE(contains(result.err,
                       "thresh: warning: diverged at example 8: row 9 (line 10): the weight of "
                       "feature 1 became "));
  EXPECT_TRUE(contains(result.err, "rolled back to example 0, step sizes times 0.5"));
  EXPECT_TRUE(contains(result.out, "and went on with smaller steps"));
  const Json json = Json::parse(thresh(with({"--eta", "1", "--json"})).out);
  EXPECT_EQ(json.at("divergences").at(0).at("row"), 9);
  EXPECT_EQ(json.at("divergences").at(0).at("line"), 10);
  EXPECT_EQ(json.at("divergences").at(0).at("feature"), 1);
  EXPECT_EQ(json.at("divergences").at(0).at("step"), 0.5);
  EXPECT_EQ(json.at("warnings").size(), 1U);
}

TEST_F(CliGuard, QuietHidesNoTrouble) {
  const Result loud = thresh(with({"--eta", "1"}));
  const Result quiet = thresh(with({"--eta", "1", "-q"}));
  EXPECT_EQ(quiet.exit, 0);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err, loud.err);
  Words lines = lines_of(quiet.err);
  ASSERT_EQ(lines.size(), 7U) << quiet;  // the warning, and of ten divergences these
  for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("thresh: warning: ")) << line;
  EXPECT_TRUE(lines.back().ends_with("further divergences are only counted"));
}

TEST_F(CliGuard, TroubleIsToldWhenItHappens) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += fmt::format("{} 1:{} 2:0.5\n", i % 2 == 0 ? 1 : -1, i == 1500 || i == 1501 ? 1e5 : 0.5);
  }
  dir.write("a.svm", text);
  const Words lines =
      lines_of(thresh(with({"--eta", "1", "--passes", "1", "--on-divergence", "recover"})).err);
  const auto at = [&](const std::string& part) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
    EXPECT_NE(found, lines.end()) << part;
    return found - lines.begin();
  };
  const auto first = at("diverged at example 1,501");
  EXPECT_LT(at("      1000 "), first);
  EXPECT_LT(first, at("      2000 "));
}

TEST_F(CliGuard, TroubleDoesNotGarbleTheLiveLine) {
  Command live = command(with({"--eta", "1"}));
  live.terminal = true;
  EXPECT_TRUE(
      contains(run(live).err, " left\r\033[Kthresh: warning: diverged at example 8: row 9"));
}

TEST_F(CliGuard, OtherWaysEndInOneLineAndWithoutAModel) {
  EXPECT_TRUE(contains(bad_after_warnings(1, with({"--eta", "1", "--on-divergence", "stop"})),
                       "training diverged: row 9 (line 10): the weight of feature 1 became "));
  EXPECT_TRUE(contains(
      bad_after_warnings(1, with({"--eta", "1", "--passes", "40", "--on-divergence", "continue"})),
      "diverged"));
  EXPECT_FALSE(exists("m.thresh"));
  EXPECT_TRUE(contains(bad(2, with({"--on-divergence", "panic"})), "--on-divergence"));
}

TEST_F(CliGuard, TheDefaultStepIsLoweredAndThatIsSaid) {
  const Result result = thresh(fobos);
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(result.err, "eta is 1e-10: the default of 0.1 is too large"));
  EXPECT_FALSE(contains(result.err, "diverged"));
}

// Folds, lambdas and budgets have the same to say, with other numbers.
TEST_F(CliGuard, WhatManyRunsWarnOfIsToldOnce) {
  const Words squared = {"--solver", "fobos", "--loss", "squared", "--passes", "2"};
  const std::vector<Words> commands = {
      {"cv", "a.svm", "--folds", "5"},
      {"path", "a.svm", "--over", "lambda", "--values", "0,1e-4,1e-3"},
      {"frontier", "a.svm", "--budgets", "2"}};
  for (Words words : commands) {
    SCOPED_TRACE(words[0]);
    const bool frontier = words[0] == "frontier";
    words.insert(words.end(), squared.begin(), squared.end());
    if (frontier)
      std::replace(words.begin(), words.end(), std::string("--solver"), std::string("--solvers"));
    for (const bool quiet : {false, true}) {
      if (quiet) words.emplace_back("-q");
      const Result result = thresh(words);
      EXPECT_EQ(result.exit, 0) << result;
      const Words lines = lines_of(result.err);
      ASSERT_EQ(lines.size(), 1U) << result;
      EXPECT_TRUE(contains(lines[0], "the default of 0.1 is too large"));
      EXPECT_TRUE(lines[0].starts_with(frontier ? "thresh: warning: fobos: eta is "
                                                : "thresh: warning: eta is "));
    }
    words.back() = "--json";
    const Json json = Json::parse(thresh(words).out);
    const Json& warnings = frontier ? json.at("solvers").at(0).at("warnings") : json.at("warnings");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(contains(warnings[0], "eta is "));
  }
}

// A feature that outweighs all others wants --scale, a row that is too long --normalize.
TEST_F(CliGuard, AdviceIsAboutWhatIsWrong) {
  const Words stop = with({"--eta", "1", "--on-divergence", "stop"});
  EXPECT_TRUE(contains(bad_after_warnings(1, stop),
                       "out of bounds (try --normalize l2 or a smaller --eta)"));
  Words unit = with({"--eta", "100", "--on-divergence", "stop", "--normalize", "l2"});
  EXPECT_TRUE(contains(bad_after_warnings(1, unit), "out of bounds (try a smaller --eta)"));
  std::string text;
  for (int i = 0; i < 40; ++i) text += fmt::format("{} 1:{}e5 2:0.5\n", i % 2, i % 3 + 1);
  dir.write("a.svm", text);
  EXPECT_TRUE(
      contains(bad_after_warnings(1, stop), "out of bounds (try --scale max or a smaller --eta)"));
  EXPECT_TRUE(contains(bad_after_warnings(1, {"train", "a.svm", "--solver", "rda", "--loss",
                                              "squared", "--on-divergence", "stop"}),
                       "or a larger --gamma)"));
}

// A cache knows lines, whether rows are held out or not.
TEST_F(CliGuard, ACacheNamesTheRowAsTheTextDoes) {
  good({"cache", "a.svm", "-o", "a.cache", "-q"});
  for (const Words& more : {Words{}, Words{"--holdout", "10%", "--seed", "3"}}) {
    Words text = with({"--eta", "1", "--on-divergence", "stop"});
    text.insert(text.end(), more.begin(), more.end());
    Words cache = text;
    cache[1] = "a.cache";
    const std::string expected = bad_after_warnings(1, text);
    EXPECT_TRUE(contains(expected, more.empty() ? "row 9 (line 10): " : "row 10 (line 11): "));
    EXPECT_EQ(bad_after_warnings(1, cache).substr(sizeof "thresh: a.cache"),
              expected.substr(sizeof "thresh: a.svm"));
  }
}

TEST_F(CliGuard, CompensatedSumsAreInTheModel) {
  EXPECT_TRUE(contains(train({"a.svm", "--compensated"}), "\"compensated\":true"));
  EXPECT_FALSE(contains(train({"a.svm"}), "compensated"));
}

}  // namespace
