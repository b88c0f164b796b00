// thresh weights: INDEX<TAB>NAME<TAB>WEIGHT, and nothing else.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/program.hpp"

class CliWeights : public CliTest {
 protected:
  void SetUp() override {
    dir.write("m.thresh", handmade_model(regression_header("50"),
                                         {"2\t0.10000000000000001\tword", "7\t-3",
                                          "40\t1.2345678901234568e-300",
                                          "41\t-0.33333333333333331\ttwo words", "50\t3"}));
  }
};

TEST_F(CliWeights, ExactFormat) {
  EXPECT_EQ(good({"weights", "m.thresh"}),
            "2\tword\t0.10000000000000001\n"
            "7\t\t-3\n"
            "40\t\t1.2345678901234568e-300\n"
            "41\ttwo words\t-0.33333333333333331\n"
            "50\t\t3\n");
}

TEST_F(CliWeights, TopIsByMagnitudeTiesByIndex) {
  EXPECT_EQ(good({"weights", "m.thresh", "--top", "3"}),
            "7\t\t-3\n50\t\t3\n41\ttwo words\t-0.33333333333333331\n");
  EXPECT_EQ(good({"weights", "m.thresh", "--top", "0"}), "");
  EXPECT_EQ(lines_of(good({"weights", "m.thresh", "--top", "1000000000000"})).size(), 5U);
}

TEST_F(CliWeights, InterceptOnlyOnRequest) {
  const std::string plain = good({"weights", "m.thresh"});
  const std::string with = good({"weights", "m.thresh", "--intercept"});
  EXPECT_EQ(with, "intercept\t\t0.5\n" + plain);
  EXPECT_EQ(lines_of(good({"weights", "m.thresh", "--top", "2", "--intercept"})).size(), 3U);
}

TEST_F(CliWeights, Json) {
  const Json json = good_json({"weights", "m.thresh", "--json", "--intercept"});
  EXPECT_EQ(json.at("intercept"), 0.5);
  ASSERT_EQ(json.at("weights").size(), 5U);
  EXPECT_EQ(json.at("weights").at(0).at("index"), 2);
  EXPECT_EQ(json.at("weights").at(0).at("name"), "word");
  EXPECT_EQ(json.at("weights").at(0).at("weight"), 0.1);
  EXPECT_FALSE(good_json({"weights", "m.thresh", "--json"}).contains("intercept"));
}

TEST_F(CliWeights, SeventeenDigitsSurvive) {
  dir.write("a.svm", random_rows({}));
  const std::string model = train({"a.svm"});
  for (const Weight& weight : weights()) {
    EXPECT_TRUE(contains(model, fmt::format("\n{}\t{:.17g}\n", weight.index, weight.value)));
  }
}

TEST_F(CliWeights, IndicesAreThoseOfTheFile) {
  dir.write("a.svm", "+1 1:1 5:2\n-1 1:-1 9:3\n");
  train({"a.svm"}, "one.thresh");
  train({"a.svm", "--zero-based"}, "zero.thresh");
  EXPECT_EQ(weights("one.thresh").front().index, 1U);
  EXPECT_EQ(weights("zero.thresh"), weights("one.thresh"));
}

// Names come from the user's file: whatever they hold, the output stays three columns and JSON.
TEST_F(CliWeights, HostileNames) {
  dir.write("a.svm", "+1 1:1\n-1 2:1\n");
  dir.write("tab.names", "a\tb\nc\n");
  dir.write("latin1.names", "caf\xe9\nna\xefve\n");
  const Result tab = thresh({"train", "a.svm", "--names", "tab.names", "-q", "-o", "tab.thresh"});
  if (tab.exit == 0) {
    EXPECT_EQ(weights("tab.thresh").size(), 2U);
  } else {
    EXPECT_TRUE(contains(complaint(tab), "tab.names:1: "));
  }
  train({"a.svm", "--names", "latin1.names"}, "latin1.thresh");
  EXPECT_EQ(good_json({"weights", "latin1.thresh", "--json"}).at("weights").size(), 2U);
  EXPECT_EQ(good_json({"export", "latin1.thresh", "--format", "json"}).at("weights").size(), 2U);
}
