// thresh train: where the model goes, how long it learns, how sparse it stays.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tools/program.hpp"

class CliTrain : public CliTest {
 protected:
  void expect_weights(const std::vector<std::pair<std::uint64_t, double>>& expected) const {
    const std::vector<Weight> actual = weights();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_EQ(actual[i].index, expected[i].first);
      EXPECT_NEAR(actual[i].value, expected[i].second, 1e-12);
    }
  }
};

TEST_F(CliTrain, GoldenWeights) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm", "--order", "sequential", "--no-intercept", "--solver", "margin-perceptron",
         "--tau", "0.01", "--eta", "0.3", "--lambda", "0.02", "--passes", "3"});
  expect_weights({{1, 0.22}, {3, -0.1}, {5, 0.055}});
}

TEST_F(CliTrain, GoldenWeightsUnderABudget) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm", "--order", "sequential", "--no-intercept", "--tau", "0.5", "--eta", "0.3",
         "--lambda", "0.02", "--passes", "3", "--features", "4"});
  expect_weights({{1, 0.22}, {2, -0.25}, {3, -0.26}, {5, 0.055}});
}

TEST_F(CliTrain, ModelGoesToTheCurrentFolderByDefault) {
  std::filesystem::create_directory(dir.path / "data");
  dir.write("data/tiny.svm", kTiny);
  EXPECT_TRUE(contains(good({"train", "data/tiny.svm"}), "tiny.svm.thresh"));
  EXPECT_EQ(files(), (Words{"data", "tiny.svm.thresh"}));
  EXPECT_FALSE(exists("data/tiny.svm.thresh"));
  EXPECT_FALSE(weights("tiny.svm.thresh").empty());
}

TEST_F(CliTrain, ModelOfStandardInputHasANameToo) {
  const Result result = thresh_reading(kTiny, {"train", "-"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(result.out, "stdin.thresh"));
  EXPECT_EQ(files(), Words{"stdin.thresh"});
}

TEST_F(CliTrain, ReportSaysWhatHappened) {
  dir.write("tiny.svm", kTiny);
  const std::string report = good({"train", "tiny.svm", "-o", "x.thresh"});
  for (const char* part : {"margin-perceptron", "converged", "updates", "x.thresh", "features"}) {
    EXPECT_TRUE(contains(report, part));
  }
}

TEST_F(CliTrain, JsonReport) {
  dir.write("a.svm", random_rows({}));
  const Json json = good_json({"train", "a.svm", "-o", "m.thresh", "--json", "--passes", "3"});
  EXPECT_EQ(json.at("model"), "m.thresh");
  EXPECT_EQ(json.at("examples"), 900);
  EXPECT_EQ(json.at("pass"), 3);
  EXPECT_EQ(json.at("status"), "passes spent");
  EXPECT_EQ(json.at("bad_rows"), 0);
  EXPECT_EQ(json.at("nonzeros"), weights().size());
  EXPECT_DOUBLE_EQ(json.at("density"), static_cast<double>(weights().size()) / 40);
  EXPECT_GE(json.at("seconds"), 0);
}

TEST_F(CliTrain, PassesAndSteps) {
  dir.write("a.svm", random_rows({}));
  const auto examples = [&](const char* option, const char* n) {
    return good_json({"train", "a.svm", "--json", option, n}).at("examples").get<int>();
  };
  EXPECT_EQ(examples("--passes", "1"), 300);
  EXPECT_EQ(examples("--passes", "4"), 1200);
  EXPECT_EQ(examples("--steps", "7"), 7);
  EXPECT_EQ(examples("--steps", "301"), 301);
}

TEST_F(CliTrain, StepsOfAWholePassAreAPass) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm", "--steps", "600"}, "steps.thresh");
  train({"a.svm", "--passes", "2"}, "passes.thresh");
  EXPECT_EQ(weights("steps.thresh"), weights("passes.thresh"));
}

TEST_F(CliTrain, StopsWhenAPassMakesNoUpdate) {
  dir.write("tiny.svm", kTiny);
  const Json json = good_json({"train", "tiny.svm", "--passes", "1000", "--json"});
  EXPECT_EQ(json.at("status"), "converged");
  EXPECT_LT(json.at("pass"), 20);
}

TEST_F(CliTrain, SeedDecidesEverything) {
  dir.write("a.svm", random_rows({.rows = 3000}));
  const std::string one = train({"a.svm", "--seed", "5"});
  EXPECT_EQ(train({"a.svm", "--seed", "5"}), one);
  const std::vector<Weight> seed5 = weights();
  train({"a.svm", "--seed", "6"});
  EXPECT_NE(weights(), seed5);
}

TEST_F(CliTrain, SequentialOrderNeedsNoSeed) {
  dir.write("a.svm", random_rows({.rows = 3000}));
  train({"a.svm", "--seed", "5", "--order", "sequential"}, "a.thresh");
  train({"a.svm", "--seed", "6", "--order", "sequential"}, "b.thresh");
  EXPECT_EQ(weights("a.thresh"), weights("b.thresh"));
}

TEST_F(CliTrain, FeatureBudgetIsNeverExceeded) {
  dir.write("a.svm", random_rows({.rows = 2000, .features = 200}));
  std::size_t before = 0;
  for (const std::size_t budget : {5, 6, 17, 60, 150}) {
    const Json json = good_json(
        {"train", "a.svm", "-o", "m.thresh", "--features", std::to_string(budget), "--json"});
    EXPECT_EQ(json.at("status"), "budget reached");
    EXPECT_LE(weights().size(), budget);
    EXPECT_GE(weights().size(), before);
    before = weights().size();
  }
  EXPECT_GT(before, 100U);  // the budget was used, not merely kept
}

TEST_F(CliTrain, DensityIsABudgetToo) {
  dir.write("a.svm", random_rows({.rows = 2000, .features = 200}));
  train({"a.svm", "--density", "30%"}, "density.thresh");
  train({"a.svm", "--features", "60"}, "features.thresh");
  EXPECT_EQ(weights("density.thresh"), weights("features.thresh"));
  train({"a.svm", "--density", "15%", "--dim", "400"}, "dim.thresh");
  EXPECT_EQ(weights("dim.thresh"), weights("features.thresh"));
}

TEST_F(CliTrain, InterceptIsOnByDefaultAndCountsForNothing) {
  dir.write("a.svm", "+1 1:1\n+1 1:1\n-1 1:1\n");
  const Words options = {"a.svm", "--order", "sequential", "--eta", "1", "--lambda", "0.25"};
  Words first_row = options, all_rows = options;
  first_row.insert(first_row.end(), {"--steps", "1", "--features", "1"});
  all_rows.insert(all_rows.end(), {"--passes", "1"});
  train(first_row);
  EXPECT_EQ(weights(), (std::vector<Weight>{{1, "", 0.75}}));
  EXPECT_EQ(intercept(), 1);  // the plain step, without a threshold
  train(all_rows);
  EXPECT_EQ(intercept(), 0);
}

TEST_F(CliTrain, NoIntercept) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm"}, "with.thresh");
  train({"a.svm", "--no-intercept"}, "without.thresh");
  EXPECT_NE(intercept("with.thresh"), 0);
  EXPECT_EQ(intercept("without.thresh"), 0);
  EXPECT_NE(weights("with.thresh"), weights("without.thresh"));
}

TEST_F(CliTrain, StrongThresholdLeavesAnEmptyModelThatWorks) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm", "--lambda", "100", "--no-intercept"});
  EXPECT_EQ(good({"weights", "m.thresh"}), "");
  // A margin of zero is the negative class.
  EXPECT_EQ(good({"predict", "m.thresh", "tiny.svm"}), "-1\n-1\n-1\n-1\n-1\n-1\n-1\n");
  EXPECT_DOUBLE_EQ(good_json({"eval", "m.thresh", "tiny.svm", "--json"}).at("error"), 3.0 / 7);
}

TEST_F(CliTrain, Schedules) {
  dir.write("a.svm", "+1 1:1\n+1 2:1\n+1 3:1\n-1 4:1\n");
  const auto weights_with = [&](const char* schedule) {
    train({"a.svm", "--schedule", schedule, "--eta", "1", "--lambda", "0", "--no-intercept",
           "--order", "sequential", "--passes", "1"});
    return weights();
  };
  EXPECT_EQ(weights_with("constant")[3].value, -1);
  EXPECT_DOUBLE_EQ(weights_with("sqrt")[2].value, 1 / std::sqrt(3));
  EXPECT_DOUBLE_EQ(weights_with("inverse")[3].value, -0.25);
}

TEST_F(CliTrain, DivergenceLeavesNoModel) {
  dir.write("a.svm", "+1 1:1e300 2:1e300\n-1 1:1e300 2:1e299\n");
  const std::string line = bad_after_warnings(1, {"train", "a.svm", "--eta", "1e100"});
  EXPECT_TRUE(contains(line, "a.svm"));
  EXPECT_TRUE(contains(line, "diverged"));
  EXPECT_EQ(files(), Words{"a.svm"});
}

TEST_F(CliTrain, NamesGoIntoTheModel) {
  dir.write("tiny.svm", kTiny);
  dir.write("names.txt", "uno\ndos\ntres\ncuatro\r\ncinco\nseis");
  train({"tiny.svm", "--names", "names.txt"});
  Words names;
  for (const Weight& weight : weights()) names.push_back(weight.name);
  EXPECT_EQ(names, (Words{"uno", "dos", "tres", "cuatro", "cinco", "seis"}));
}

TEST_F(CliTrain, TooFewNamesAreRefused) {
  dir.write("tiny.svm", kTiny);
  dir.write("names.txt", "uno\ndos\n");
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--names", "names.txt"}), "names.txt"));
  EXPECT_FALSE(exists("tiny.svm.thresh"));
}

TEST_F(CliTrain, VowpalWabbitAliases) {
  dir.write("tiny.svm", kTiny);
  const std::string model = train({"tiny.svm", "--lambda", "0.02"});
  EXPECT_EQ(good({"train", "-d", "tiny.svm", "-f", "vw.thresh", "--l1", "0.02", "-q"}), "");
  EXPECT_EQ(ScratchDir::slurp(dir.file("vw.thresh")), model);
}
