// thresh predict: one line a row, in the order of the file.

#include <cmath>

#include "tools/program.hpp"

class CliPredict : public CliTest {
 protected:
  const std::string rows = random_rows({});

  void SetUp() override {
    dir.write("a.svm", rows);
    train({"a.svm", "--holdout", "20%", "--calibrate"});
  }
};

TEST_F(CliPredict, MarginIsTheDotProduct) {
  const std::vector<double> actual = margins("m.thresh", "a.svm");
  const std::vector<Weight> model = weights();
  const double offset = intercept();
  const std::vector<SvmRow> data = parse_rows(rows);
  ASSERT_EQ(actual.size(), data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(actual[i], dot(model, data[i]) + offset, 1e-12) << i;
  }
}

// Rows of weight zero are not learned from. Their tags must not go to other rows, either.
TEST_F(CliPredict, RowsOfWeightZeroAreAnswered) {
  dir.write("w.vw", "1 2 one| a\n-1 0 two| b\n1 1 three| a\n-1 1 four| b\n1 0 five| a\n");
  train({"w.vw", "--solver", "fobos", "--no-intercept"}, "w.thresh");
  EXPECT_EQ(good({"predict", "w.thresh", "w.vw", "-q"}),
            "one\t1\ntwo\t-1\nthree\t1\nfour\t-1\nfive\t1\n");
}

TEST_F(CliPredict, LabelIsTheSignOfTheMargin) {
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  const Words labels = lines_of(good({"predict", "m.thresh", "a.svm"}));
  ASSERT_EQ(labels.size(), margin.size());
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], margin[i] > 0 ? "1" : "-1");
  EXPECT_EQ(good({"predict", "m.thresh", "a.svm", "--output", "label"}), join_lines(labels));
}

TEST_F(CliPredict, ProbabilityIsThePlattScaledMargin) {
  const Json platt = good_json({"export", "m.thresh", "--format", "json"}).at("calibration");
  const double slope = platt.at("slope"), offset = platt.at("offset");
  EXPECT_GT(slope, 0);
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  const std::vector<double> p =
      parse_numbers(good({"predict", "m.thresh", "a.svm", "--output", "probability"}));
  ASSERT_EQ(p.size(), margin.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(p[i], 1 / (1 + std::exp(-(slope * margin[i] + offset))), 1e-12);
  }
}

TEST_F(CliPredict, ProbabilityNeedsCalibration) {
  train({"a.svm"}, "raw.thresh");
  const std::string line = bad(1, {"predict", "raw.thresh", "a.svm", "--output", "probability"});
  EXPECT_TRUE(contains(line, "raw.thresh"));
  EXPECT_TRUE(contains(line, "--calibrate"));
}

TEST_F(CliPredict, FileInsteadOfStandardOutput) {
  const std::string expected = good({"predict", "m.thresh", "a.svm"});
  EXPECT_EQ(good({"predict", "m.thresh", "a.svm", "-o", "out.txt"}), "");
  EXPECT_EQ(ScratchDir::slurp(dir.file("out.txt")), expected);
}

TEST_F(CliPredict, AnySource) {
  const std::string expected = good({"predict", "m.thresh", "a.svm", "--output", "margin"});
  dir.write("a.xz", xz(rows));
  EXPECT_EQ(good({"predict", "m.thresh", "a.xz", "--output", "margin"}), expected);
  const Words options = {"predict", "m.thresh", "-", "--output", "margin"};
  EXPECT_EQ(thresh_reading(rows, options).out, expected);
  EXPECT_EQ(thresh_reading(gzip(rows), options).out, expected);
}

TEST_F(CliPredict, KeepsTheOrderOfManyRows) {
  const std::string many = random_rows({.rows = 20000, .seed = 3});
  dir.write("many.svm", many);
  const std::vector<double> actual = margins("m.thresh", "many.svm");
  const std::vector<Weight> model = weights();
  const double offset = intercept();
  const std::vector<SvmRow> data = parse_rows(many);
  ASSERT_EQ(actual.size(), data.size());
  for (std::size_t i = 0; i < data.size(); i += 37) {
    ASSERT_NEAR(actual[i], dot(model, data[i]) + offset, 1e-12) << i;
  }
}

TEST_F(CliPredict, UnseenFeaturesCountNothing) {
  dir.write("known.svm", "0 3:1\n");
  dir.write("more.svm", "0 3:1 41:5 999999999:7 1099511627776:9\n");
  EXPECT_EQ(margins("m.thresh", "more.svm"), margins("m.thresh", "known.svm"));
}

TEST_F(CliPredict, LabelsAreIgnored) {
  dir.write("odd.svm", "17 3:1\n0 3:1\n-1\n");
  const std::vector<double> margin = margins("m.thresh", "odd.svm");
  EXPECT_EQ(margin[0], margin[1]);
  EXPECT_EQ(margin[2], intercept());
}

TEST_F(CliPredict, JsonLines) {
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  const Words lines = lines_of(good({"predict", "m.thresh", "a.svm", "--json"}));
  ASSERT_EQ(lines.size(), margin.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Json json = Json::parse(lines[i]);
    EXPECT_EQ(json.at("margin"), margin[i]);
    EXPECT_EQ(json.at("label"), margin[i] > 0 ? 1 : -1);
    EXPECT_EQ(json.at("probability") > 0, true);
  }
}

TEST_F(CliPredict, BadRowLeavesNoOutputFile) {
  dir.write("bad.svm", "1 1:1\n1 1:x\n");
  const std::string line = bad(1, {"predict", "m.thresh", "bad.svm", "-o", "out.txt"});
  EXPECT_TRUE(contains(line, "thresh: bad.svm:2: "));
  EXPECT_EQ(files(), (Words{"a.svm", "bad.svm", "m.thresh"}));
}

TEST_F(CliPredict, BadRowsCanBeSkippedAndAreCounted) {
  dir.write("bad.svm", "1 1:1\n1 1:x\n1 2:1 1:1\n1 2:1\n");
  const Result result = thresh({"predict", "m.thresh", "bad.svm", "--on-bad-row", "skip"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(lines_of(result.out).size(), 4U);  // the lines of bad rows are empty
  EXPECT_TRUE(contains(complaint(result), "2 bad rows"));
  const Result sorted = thresh(
      {"predict", "m.thresh", "bad.svm", "--on-bad-row", "skip", "--allow-unsorted", "--quiet"});
  EXPECT_EQ(lines_of(sorted.out).at(1), "");
  EXPECT_NE(lines_of(sorted.out).at(2), "");
  EXPECT_EQ(sorted.err, "");
}
