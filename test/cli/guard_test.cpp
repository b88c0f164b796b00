// What a user hears of a run that got out of control, and of steps that are not safe.

#include <fmt/format.h>

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
                       "diverged at example 8: row 9 (line 10): the weight of feature "
                       "1 became "));
  EXPECT_TRUE(contains(result.err, "back to example 0, steps times 0.5"));
  EXPECT_TRUE(contains(result.out, "and went on with smaller steps"));
  const Json json = Json::parse(thresh(with({"--eta", "1", "--json"})).out);
  EXPECT_EQ(json.at("divergences").at(0).at("row"), 9);
  EXPECT_EQ(json.at("divergences").at(0).at("line"), 10);
  EXPECT_EQ(json.at("divergences").at(0).at("feature"), 1);
  EXPECT_EQ(json.at("divergences").at(0).at("step"), 0.5);
  EXPECT_EQ(json.at("warnings").size(), 1U);
  silent(with({"--eta", "1", "-q"}));
}

TEST_F(CliGuard, OtherWaysEndInOneLineAndWithoutAModel) {
  EXPECT_TRUE(contains(bad(1, with({"--eta", "1", "--on-divergence", "stop"})),
                       "training diverged: row 9 (line 10): the weight of feature 1 became "));
  EXPECT_TRUE(contains(
      bad(1, with({"--eta", "1", "--passes", "40", "--on-divergence", "continue"})), "diverged"));
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
