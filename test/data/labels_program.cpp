// Two classes may be called anything; the model remembers what.

#include "tools/program.hpp"

class CliLabels : public CliTest {
 protected:
  std::string rows(const std::string& negative, const std::string& positive) const {
    return random_rows({.negative = negative, .positive = positive});
  }
};

TEST_F(CliLabels, AnyTwoValuesLearnTheSame) {
  dir.write("a.svm", rows("-1", "+1"));
  train({"a.svm"});
  const std::vector<Weight> expected = weights();
  for (const auto& [low, high] : std::vector<std::pair<std::string, std::string>>{
           {"0", "1"}, {"1", "2"}, {"-1", "1"}, {"3", "7.5"}, {"-4e3", "-2"}}) {
    dir.write("b.svm", rows(low, high));
    train({"b.svm"});
    EXPECT_EQ(weights(), expected) << low << " " << high;
    EXPECT_LT(good_json({"eval", "m.thresh", "b.svm", "--json"}).at("error"), 0.3);
  }
}

TEST_F(CliLabels, PredictWritesTheLabelsOfTheFile) {
  dir.write("a.svm", rows("3", "7.5"));
  train({"a.svm"});
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  const Words labels = lines_of(good({"predict", "m.thresh", "a.svm"}));
  ASSERT_EQ(labels.size(), 300U);
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], margin[i] > 0 ? "7.5" : "3");
}

TEST_F(CliLabels, PositiveChoosesTheClass) {
  dir.write("a.svm", rows("0", "1"));
  train({"a.svm"}, "high.thresh");
  train({"a.svm", "--positive", "0", "--order", "sequential"}, "low.thresh");
  train({"a.svm", "--positive", "1", "--order", "sequential"}, "high.thresh");
  const std::vector<Weight> high = weights("high.thresh");
  std::vector<Weight> mirrored = weights("low.thresh");
  ASSERT_EQ(high.size(), mirrored.size());
  for (Weight& weight : mirrored) weight.value = -weight.value;
  EXPECT_EQ(mirrored, high);
  const Json json = good_json({"export", "low.thresh", "--format", "json"});
  EXPECT_EQ(json.at("labels").at(1), 0);
  EXPECT_EQ(json.at("labels").at(0), 1);
}

TEST_F(CliLabels, PositiveMustOccur) {
  dir.write("a.svm", rows("0", "1"));
  const std::string line = bad(1, {"train", "a.svm", "--positive", "2"});
  EXPECT_TRUE(contains(line, "a.svm"));
  EXPECT_TRUE(contains(line, "--positive 2"));
}

TEST_F(CliLabels, StreamWithPositiveTakesEveryOtherLabelAsNegative) {
  const Words options = {"train", "-", "--order", "sequential", "--passes", "1", "--positive", "1"};
  const Result result = thresh_reading(rows("0", "1"), options);
  EXPECT_EQ(result.exit, 0) << result;
  const Json json = good_json({"export", "stdin.thresh", "--format", "json"});
  EXPECT_EQ(json.at("labels").at(0), 0);
}

// A third label is found while the rows flow, so it can be said where.
// They may be classes, but hardly.
TEST_F(CliLabels, ManyLabelsOfFewRowsAreWonderedAt) {
  std::string rows;
  for (int i = 0; i < 100; ++i)
    rows += std::to_string(i % 25) + " 1:1 " + std::to_string(2 + i % 7) + ":1\n";
  dir.write("prices.svm", rows);
  const Result result = thresh({"train", "prices.svm", "--features", "3", "-q", "-o", "p.thresh"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(result.err,
                       "warning: 25 classes of 4.0 rows: are the labels numbers to predict (--task "
                       "regression)?"));
  EXPECT_TRUE(contains(good({"diagnose", "prices.svm", "--only", "data"}),
                       "if the labels are numbers to predict, use --task regression"));
}

// A line feed inside a text makes a line whose first words look like a label.
TEST_F(CliLabels, AClassOfOneRowIsWonderedAt) {
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += i % 2 == 0 ? "ham\thello\n" : "spam\tbuy now\n";
  dir.write("two.txt", rows);
  dir.write("three.txt", rows + "see you\tlater\n");
  const Words options = {"--format", "text", "--features", "3", "-q", "-o", "m.thresh"};
  const auto warnings = [&](const std::string& file) {
    Words arguments{"train", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return thresh(arguments).err;
  };
  EXPECT_TRUE(contains(warnings("three.txt"),
                       "warning: only one of 61 rows has the label 'see you': is it one of 3 "
                       "classes?"));
  EXPECT_FALSE(contains(warnings("two.txt"), "only one of"));
}

TEST_F(CliLabels, ThirdLabelIsNamedWithItsLine) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  const std::string odd = "# comment\n\n+1 1:1\n-1 2:1\n# more\n3 1:1\n";
  dir.write("odd.svm", odd);
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "odd.svm"}), "thresh: odd.svm:6: "));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--valid", "odd.svm"}), "thresh: odd.svm:6: "));
  const Result result = thresh_reading(
      odd, {"train", "-", "--order", "sequential", "--passes", "1", "--positive", "1"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(contains(complaint(result), "thresh: <stdin>:6: "));
  EXPECT_EQ(files(), (Words{"m.thresh", "odd.svm", "tiny.svm"}));
}
