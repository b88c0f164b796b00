// Example weights, class weights, warm start, validation, normalisation.

#include <fmt/format.h>

#include <cmath>

#include "tools/program.hpp"

class CliLearn : public CliTest {
 protected:
  void expect_close(const std::vector<Weight>& actual, const std::vector<Weight>& expected) const {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(actual[i].index, expected[i].index);
      ASSERT_NEAR(actual[i].value, expected[i].value, 1e-12) << "feature " << actual[i].index;
    }
  }
  std::string repeat(const std::string& line, int times) const {
    std::string text;
    for (int i = 0; i < times; ++i) text += line;
    return text;
  }
};

TEST_F(CliLearn, EqualWeightsAreNoWeights) {
  dir.write("a.svm", random_rows({}));
  dir.write("ones", repeat("1\n", 300));
  dir.write("twos", repeat("2\n", 300));
  train({"a.svm"}, "none.thresh");
  train({"a.svm", "--weights", "ones"}, "ones.thresh");
  train({"a.svm", "--weights", "twos"}, "twos.thresh");
  EXPECT_EQ(weights("ones.thresh"), weights("none.thresh"));
  EXPECT_EQ(weights("twos.thresh"), weights("none.thresh"));
}

TEST_F(CliLearn, WeightScalesTheStep) {
  dir.write("a.svm", "+1 1:1\n-1 2:1\n");
  dir.write("w", "3\n1\n");
  train({"a.svm", "--weights", "w", "--order", "sequential", "--passes", "1", "--no-intercept",
         "--eta", "1", "--lambda", "0"});
  EXPECT_EQ(weights(), (std::vector<Weight>{{1, "", 1.5}, {2, "", -0.5}}));  // the mean step is eta
}

TEST_F(CliLearn, WeightZeroMeansTheRowIsNotThere) {
  const std::vector<std::string> lines = lines_of(random_rows({}));
  std::vector<std::string> kept;
  std::string w;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    w += i % 3 == 0 ? "0\n" : "1\n";
    if (i % 3 != 0) kept.push_back(lines[i]);
  }
  dir.write("all.svm", join_lines(lines));
  dir.write("kept.svm", join_lines(kept));
  dir.write("w", w);
  train({"all.svm", "--weights", "w", "--order", "sequential"}, "all.thresh");
  train({"kept.svm", "--order", "sequential"}, "kept.thresh");
  expect_close(weights("all.thresh"), weights("kept.thresh"));
}

TEST_F(CliLearn, WeightsMustFitTheRows) {
  dir.write("tiny.svm", kTiny);
  for (const int count : {0, 6, 8}) {
    dir.write("w", repeat("1\n", count));
    EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--weights", "w"}), "thresh: w: ")) << count;
  }
  for (const char* wrong : {"-1", "nan", "inf", "x", "1 2"}) {
    dir.write("w", repeat("1\n", 6) + wrong + "\n");
    EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--weights", "w"}), "thresh: w:7: "))
        << wrong;
  }
  EXPECT_EQ(files(), (Words{"tiny.svm", "w"}));
}

TEST_F(CliLearn, WeightsMustFitAStreamToo) {
  for (const int count : {6, 8}) {
    dir.write("w", repeat("1\n", count));
    const Result result = thresh_reading(kTiny, {"train", "-", "--weights", "w", "--order",
                                                 "sequential", "--passes", "1", "--positive", "1"});
    EXPECT_EQ(result.exit, 1) << count << " weights for 7 rows\n" << result;
    EXPECT_FALSE(exists("stdin.thresh"));
  }
}

TEST_F(CliLearn, BalancedClassesAreRowWeights) {
  dir.write("tiny.svm", kTiny);
  std::string w;
  for (const SvmRow& row : parse_rows(kTiny)) {
    w += fmt::format("{:.17g}\n", row.label > 0 ? 7.0 / 6 : 7.0 / 8);
  }
  dir.write("w", w);
  const Words options = {"tiny.svm", "--order", "sequential", "--passes", "2", "--tau", "0.5"};
  Words balanced = options, weighted = options;
  balanced.insert(balanced.end(), {"--class-weight", "balanced"});
  weighted.insert(weighted.end(), {"--weights", "w"});
  train(balanced, "balanced.thresh");
  train(weighted, "weighted.thresh");
  expect_close(weights("balanced.thresh"), weights("weighted.thresh"));
  train(options, "plain.thresh");
  EXPECT_NE(weights("plain.thresh"), weights("balanced.thresh"));
}

TEST_F(CliLearn, WarmStartContinues) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm", "--order", "sequential", "--passes", "1"}, "one.thresh");
  train({"a.svm", "--order", "sequential", "--passes", "1", "--from", "one.thresh"}, "two.thresh");
  train({"a.svm", "--order", "sequential", "--passes", "2"}, "both.thresh");
  EXPECT_EQ(weights("two.thresh"), weights("both.thresh"));
  EXPECT_EQ(intercept("two.thresh"), intercept("both.thresh"));
  EXPECT_NE(weights("one.thresh"), weights("both.thresh"));
}

TEST_F(CliLearn, WarmStartOnOtherRowsKeepsWhatItKnew) {
  dir.write("a.svm", "+1 1:1\n-1 2:1\n");
  dir.write("b.svm", "+1 3:1\n-1 4:1\n");
  train({"a.svm"}, "a.thresh");
  train({"b.svm", "--from", "a.thresh"}, "ab.thresh");
  ASSERT_EQ(weights("ab.thresh").size(), 4U);
  EXPECT_EQ(weights("ab.thresh")[0], weights("a.thresh")[0]);
}

TEST_F(CliLearn, WarmStartKeepsKnownNames) {
  dir.write("tiny.svm", kTiny);
  dir.write("names", "a\nb\nc\nd\ne\nf\n");
  train({"tiny.svm", "--names", "names"}, "named.thresh");
  train({"tiny.svm", "--from", "named.thresh"});
  EXPECT_EQ(weights().at(0).name, "a");
}

TEST_F(CliLearn, WarmStartFromAnotherKindOfModelIsRefused) {
  dir.write("a.svm", random_rows({}));
  dir.write("labels12.svm", random_rows({.negative = "1", .positive = "2"}));
  train({"a.svm"}, "a.thresh");
  const Words start = {"--from", "a.thresh", "-o", "new.thresh"};
  const auto refused = [&](Words arguments) {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), start.begin(), start.end());
    const std::string line = bad(1, arguments);
    EXPECT_FALSE(exists("new.thresh"));
    return line;
  };
  EXPECT_TRUE(contains(refused({"a.svm", "--normalize", "l2"}), "--normalize"));
  EXPECT_TRUE(contains(refused({"a.svm", "--zero-based"}), "--zero-based"));
  EXPECT_TRUE(contains(refused({"labels12.svm"}), "label"));
  EXPECT_TRUE(contains(refused({"a.svm", "--features", "3"}), "budget"));
}

TEST_F(CliLearn, ValidationErrorIsWhatEvalSays) {
  dir.write("a.svm", random_rows({}));
  dir.write("v.svm", random_rows({.rows = 200, .features = 60, .seed = 2}));
  train({"a.svm"}, "plain.thresh");
  const Json json = good_json({"train", "a.svm", "-o", "m.thresh", "--valid", "v.svm", "--json"});
  const double error = good_json({"eval", "m.thresh", "v.svm", "--json"}).at("error");
  EXPECT_GT(error, 0);
  EXPECT_DOUBLE_EQ(json.at("valid_error"), error);
  EXPECT_EQ(weights(), weights("plain.thresh"));  // watching changes nothing
}

TEST_F(CliLearn, CalibrationSaysWhatItLacks) {
  dir.write("a.svm", random_rows({}));
  dir.write("one.svm", "+1 1:1\n+1 2:1\n");
  const std::string line = bad(1, {"train", "a.svm", "--valid", "one.svm", "--calibrate", "-q"});
  EXPECT_TRUE(contains(line, "one.svm"));
  EXPECT_TRUE(contains(line, "classes"));
  EXPECT_FALSE(exists("a.svm.thresh"));
}

TEST_F(CliLearn, HoldoutErrorIsThatOfTheRowsNotLearnedFrom) {
  constexpr int kRows = 2000;
  dir.write("a.svm", random_rows({.rows = kRows}));
  const Json json = good_json({"train", "a.svm", "-o", "m.thresh", "--holdout", "20%", "--passes",
                               "1", "--trace-at", "passes", "--json"});
  const int learned = json.at("examples");
  const int held_out = kRows - learned;
  EXPECT_NEAR(held_out, 400, 100);
  // Together the two parts are the file.
  const double wrong = json.at("train_error").get<double>() * learned +
                       json.at("valid_error").get<double>() * held_out;
  const double all = good_json({"eval", "m.thresh", "a.svm", "--json"}).at("error");
  EXPECT_NEAR(wrong, all * kRows, 1e-6);
}

TEST_F(CliLearn, HoldoutErrorCountsRowsAlsoWhenClassesAreBalanced) {
  constexpr int kRows = 1000;
  std::string rows = random_rows({.rows = kRows});
  dir.write("a.svm", rows);
  const Json json = good_json({"train", "a.svm", "--holdout", "30%", "--passes", "1", "--json",
                               "--class-weight", "balanced"});
  const double wrong =
      json.at("valid_error").get<double>() * (kRows - json.at("examples").get<int>());
  EXPECT_NEAR(wrong, std::round(wrong), 1e-9);  // as eval counts, and as --valid does
}

TEST_F(CliLearn, NothingIsHeldOutUnlessAsked) {
  dir.write("a.svm", random_rows({}));
  const Json json = good_json({"train", "a.svm", "--json", "--passes", "1"});
  EXPECT_EQ(json.at("examples"), 300);
  EXPECT_TRUE(json.at("valid_error").is_null());
}

TEST_F(CliLearn, NormalizedRowsAreRememberedByTheModel) {
  const std::string text = random_rows({});
  std::string unit;
  for (const SvmRow& row : parse_rows(text)) {
    double squares = 0;
    for (const auto& [index, value] : row.entries) squares += value * value;
    unit += row.label > 0 ? "+1" : "-1";
    for (const auto& [index, value] : row.entries) {
      unit += fmt::format(" {}:{:.17g}", index, value / std::sqrt(squares));
    }
    unit += "\n";
  }
  dir.write("raw.svm", text);
  dir.write("unit.svm", unit);
  train({"raw.svm", "--normalize", "l2"}, "raw.thresh");
  train({"unit.svm"}, "unit.thresh");
  expect_close(weights("raw.thresh"), weights("unit.thresh"));
  const std::vector<double> actual = margins("raw.thresh", "raw.svm");
  const std::vector<double> expected = margins("unit.thresh", "unit.svm");
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12);
  EXPECT_EQ(good_json({"eval", "raw.thresh", "raw.svm", "--json"}).at("confusion"),
            good_json({"eval", "unit.thresh", "unit.svm", "--json"}).at("confusion"));
}
