// thresh export: the model for other programs.

#include <stdlib.h>

#include <filesystem>

#include "tools/program.hpp"

namespace fs = std::filesystem;

class CliExport : public CliTest {
 protected:
  static constexpr const char* kPredictor = "/usr/bin/liblinear-predict";

  // The folder of real data; "" where there is none.
  static fs::path real_data() {
    const char* given = ::getenv("THRESH_DATA");
    const fs::path folder =
        given != nullptr ? given : fs::path(THRESH_SOURCE_DIR) / "../shared/data";
    return fs::exists(folder) ? folder : fs::path();
  }

  void expect_same_labels(const std::string& data) const {
    good({"export", "m.thresh", "--format", "liblinear", "-o", "m.model", "-q"});
    Command other = command({data, "m.model", "theirs.txt"});
    other.program = kPredictor;
    const Result result = run(other);
    ASSERT_EQ(result.exit, 0) << result;
    const std::vector<double> theirs = parse_numbers(ScratchDir::slurp(dir.file("theirs.txt")));
    const std::vector<double> ours = parse_numbers(good({"predict", "m.thresh", data}));
    EXPECT_FALSE(ours.empty());
    EXPECT_EQ(ours, theirs);
  }
};

TEST_F(CliExport, JsonHoldsTheWholeModel) {
  dir.write("a.svm", random_rows({.features = 6}));
  dir.write("names", "a\nb\nc\nd\ne\nf\n");
  train({"a.svm", "--names", "names", "--holdout", "40%", "--calibrate", "--seed", "3"});
  const Json json = good_json({"export", "m.thresh", "--format", "json"});
  EXPECT_EQ(json.at("task"), "classification");
  EXPECT_EQ(json.at("solver"), "margin-perceptron");
  EXPECT_EQ(json.at("dimension"), 6);
  EXPECT_EQ(json.at("labels"), Json({-1, 1}));
  EXPECT_EQ(json.at("options").at("seed"), 3);
  EXPECT_EQ(json.at("intercept"), intercept());
  EXPECT_TRUE(json.contains("calibration"));
  const std::vector<Weight> expected = weights();
  ASSERT_EQ(json.at("weights").size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& weight = json.at("weights").at(i);
    const Weight actual{weight.at("index"), weight.at("name"), weight.at("weight")};
    EXPECT_EQ(actual, expected[i]);
  }
}

TEST_F(CliExport, LiblinearText) {
  const std::string header =
      R"({"task":"classification","solver":"x","labels":[0,1],"dimension":4,"zero_based":false,)"
      R"("normalize":"none","intercept":-0.5,"options":{},"summary":{}})";
  dir.write("m.thresh", handmade_model(header, {"1\t2", "3\t-1.5"}));
  EXPECT_EQ(good({"export", "m.thresh", "--format", "liblinear"}),
            "solver_type L1R_L2LOSS_SVC\nnr_class 2\nlabel 1 0\nnr_feature 4\nbias 1\nw\n"
            "2\n0\n-1.5\n0\n-0.5\n");
}

TEST_F(CliExport, FileAndReport) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  const std::string expected = good({"export", "m.thresh", "--format", "liblinear"});
  EXPECT_TRUE(contains(good({"export", "m.thresh", "--format", "liblinear", "-o", "x"}), "x: "));
  EXPECT_EQ(ScratchDir::slurp(dir.file("x")), expected);
  const Json json = good_json({"export", "m.thresh", "--format", "json", "-o", "x", "--json"});
  EXPECT_EQ(json.at("file"), "x");
  EXPECT_EQ(good({"export", "m.thresh", "--format", "json", "-o", "x", "--quiet"}), "");
}

TEST_F(CliExport, LiblinearCannotHoldEverything) {
  dir.write("tiny.svm", kTiny);
  dir.write("far.svm", "+1 1:1\n-1 3000000000:1\n");
  dir.write("odd.svm", "0.5 1:1\n-1 2:1\n");
  const auto refused = [&](Words arguments) {
    train(std::move(arguments));
    const std::string line = bad(1, {"export", "m.thresh", "--format", "liblinear", "-o", "x"});
    EXPECT_FALSE(exists("x"));
    return line;
  };
  EXPECT_TRUE(contains(refused({"tiny.svm", "--normalize", "l2"}), "unit length"));
  EXPECT_TRUE(contains(refused({"tiny.svm", "--zero-based"}), "from 0"));
  EXPECT_TRUE(contains(refused({"far.svm"}), "features"));
  EXPECT_TRUE(contains(refused({"odd.svm"}), "labels"));
}

TEST_F(CliExport, LiblinearPredictsTheSameLabels) {
  if (!fs::exists(kPredictor)) GTEST_SKIP() << "liblinear-predict is not installed";
  dir.write("a.svm", random_rows({.rows = 2000}));
  dir.write("b.svm", random_rows({.rows = 2000, .features = 60, .seed = 2}));  // unseen features
  for (const char* option : {"--json", "--no-intercept"}) {
    good({"train", "a.svm", "-q", "-o", "m.thresh", option});
    expect_same_labels("a.svm");
    expect_same_labels("b.svm");
  }
  dir.write("b.svm", random_rows({.rows = 2000, .negative = "1", .positive = "2"}));
  train({"b.svm", "--positive", "1"});
  expect_same_labels("b.svm");
}

TEST_F(CliExport, LiblinearPredictsTheSameLabelsOnRealData) {
  if (!fs::exists(kPredictor)) GTEST_SKIP() << "liblinear-predict is not installed";
  const fs::path data = real_data();
  if (data.empty()) GTEST_SKIP() << "no real data: set THRESH_DATA to its folder";
  dir.write("a9a.svm", unxz(ScratchDir::slurp(data / "a9a_test.svm.xz")));
  train({data / "a9a_train.svm.xz", "--passes", "2"});
  expect_same_labels("a9a.svm");
}

// The format of the file and that of the data it was learned from are two things.
TEST_F(CliExport, JsonOfNamedDataSaysBothFormats) {
  dir.write("t.csv", "size,label\n1,a\n-1,b\n2,a\n-2,b\n");
  train({"t.csv"});
  good({"export", "m.thresh", "--format", "json", "-o", "m.json"});
  const Json json = Json::parse(ScratchDir::slurp(dir.file("m.json")));
  EXPECT_EQ(json.at("format"), "thresh-model 3");
  EXPECT_EQ(json.at("data_format"), "csv");
}
