// What a user hears of a run that got out of control, and of steps that are not safe.

#include <fmt/format.h>

#include <algorithm>

#include "cli/cli_test.hpp"

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
  EXPECT_TRUE(contains(result.err, "back to example 0, steps times 0.5"));
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
  EXPECT_TRUE(lines.back().ends_with("and more of this is only counted"));
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

TEST_F(CliGuard, CompensatedSumsAreInTheModel) {
  EXPECT_TRUE(contains(train({"a.svm", "--compensated"}), "\"compensated\":true"));
  EXPECT_FALSE(contains(train({"a.svm"}), "compensated"));
}

}  // namespace
