// More than two classes through every command.
#include <cmath>
#include <sstream>

#include "tools/program.hpp"

namespace {

class CliMulticlass : public CliTest {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      const int c = i % 3;
      text += std::to_string(10 * c) + " " + std::to_string(c + 1) + ":1 " +
              std::to_string(4 + i % 5) + ":0." + std::to_string(1 + i % 7) + "\n";
    }
    dir.write("three.svm", text);
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(CliMulticlass, TrainEvalPredictWeightsAndExport) {
  for (const std::string kind : {"ovr", "softmax"}) {
    good({"train", "three.svm", "--solver", "fobos", "--eta", "1", "--multiclass", kind, "-o", "m",
          "-q"});
    const auto json = nlohmann::json::parse(good({"eval", "m", "three.svm", "--json"}));
    EXPECT_EQ(json["error"], 0.0);
    EXPECT_EQ(json["confusion"][1][1], 100);
    EXPECT_EQ(json["classes"][2]["label"], 20);
    EXPECT_TRUE(contains(good({"eval", "m", "three.svm"}), "precision"));
    const auto labels = lines_of(good({"predict", "m", "three.svm"}));
    ASSERT_EQ(labels.size(), 300u);
    EXPECT_EQ(labels[4], "10");
    std::istringstream shares(
        lines_of(good({"predict", "m", "three.svm", "--output", "probability"}))[0]);
    double sum = 0, share = 0;
    int classes = 0;
    for (; shares >> share; ++classes) sum += share;
    EXPECT_EQ(classes, 3);
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_TRUE(good({"weights", "m", "--top", "1"}).starts_with("0\t1\t\t")) << kind;
    EXPECT_TRUE(
        contains(good({"export", "m", "--format", "liblinear"}), "nr_class 3\nlabel 0 10 20"));
    const auto exported = nlohmann::json::parse(good({"export", "m", "--format", "json"}));
    EXPECT_EQ(exported["classes"].size(), 3u);
  }
}

TEST_F(CliMulticlass, ADamagedModelIsRefused) {
  good({"train", "three.svm", "-o", "m", "-q"});
  std::string text = ScratchDir::slurp(dir.file("m"));
  const std::size_t at = text.find("class 10");
  ASSERT_NE(at, std::string::npos);
  dir.write("n", text.substr(0, at) + "class 11" + text.substr(at + 8));
  EXPECT_TRUE(contains(bad(1, {"weights", "n"}), "n: line"));
}

TEST_F(CliMulticlass, ProbabilitiesNeedALossThatHasThem) {
  good({"train", "three.svm", "-o", "m", "-q"});  // the perceptron
  EXPECT_TRUE(contains(bad(1, {"predict", "m", "three.svm", "--output", "probability"}),
                       "--loss logistic"));
  EXPECT_TRUE(contains(bad(2, {"train", "three.svm", "--multiclass", "softmax"}),
                       "margin-perceptron does not support --multiclass softmax"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "three.svm", "--calibrate", "--holdout", "10%"}), "two classes"));
}

TEST_F(CliMulticlass, SimilaritiesToExamplesAreFeatures) {
  dir.write("support.svm", "0 1:1\n10 2:1\n20 3:2\n");
  good({"convert", "three.svm", "--kernel-expand", "support.svm", "--width", "2", "-o", "s.svm"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("s.svm.labels")), "0\n10\n20\n");
  std::istringstream first(lines_of(ScratchDir::slurp(dir.file("s.svm")))[0]);
  std::string label, similar;
  first >> label >> similar;
  EXPECT_EQ(label, "0");
  // Row 1 is 1:1 4:0.1, so |x - s_1|^2 = 0.01.
  EXPECT_NEAR(std::stod(similar.substr(2)), std::exp(-0.01 / 2), 1e-9);
  good({"train", "s.svm", "--solver", "projected-sgd", "--radius", "10", "--multiclass", "softmax",
        "--non-negative", "--feature-labels", "s.svm.labels", "-o", "m", "-q"});
  EXPECT_EQ(nlohmann::json::parse(good({"eval", "m", "s.svm", "--json"}))["error"], 0.0);
  for (const std::string& line : lines_of(good({"weights", "m"}))) {
    std::istringstream in(line);
    double of_class = 0, index = 0, weight = 0;
    in >> of_class >> index >> weight;
    EXPECT_EQ(weight > 0, of_class == 10 * (index - 1)) << line;
  }
  EXPECT_TRUE(contains(bad(2, {"train", "s.svm", "--solver", "projected-sgd", "--radius", "1",
                               "--feature-labels", "s.svm.labels"}),
                       "--non-negative"));
}

}  // namespace
