// --scale: features on one scale while learning, a model for rows as they are.

#include <fmt/format.h>

#include "cli/cli_test.hpp"

class CliScale : public CliTest {
 protected:
  // Feature 1 decides and is small, feature 2 is noise and large; all are powers of two.
  void SetUp() override {
    dir.write("raw.svm", rows(0x1p-10, 0x1p12));
    dir.write("scaled.svm", rows(1, 1));
  }
  static std::string rows(double small, double large) {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      text += fmt::format("{} 1:{} 2:{}\n", i % 2 ? 1 : -1, i % 2 ? small : -small,
                          (i / 2 % 2 ? large : -large) / (1 << i % 3));
    }
    return text;
  }
};

TEST_F(CliScale, ModelsAreForRowsAsTheyAre) {
  const std::string model = train({"raw.svm", "--scale", "max"});
  EXPECT_TRUE(contains(model, "\"scale\":\"max\""));
  train({"scaled.svm"}, "twin.thresh");
  EXPECT_EQ(margins("m.thresh", "raw.svm"), margins("twin.thresh", "scaled.svm"));
  EXPECT_FALSE(contains(train({"raw.svm"}), "scale"));
}

// Rows are normalised first: (0.6, 0.8) and (1, 0), of which the largest are 1 and 0.8.
TEST_F(CliScale, AfterNormalize) {
  dir.write("a.svm", "+1 1:3 2:4\n-1 1:-5\n+1 1:5\n-1 1:-3 2:-4\n");
  dir.write("unit.svm", "+1 1:0.6 2:0.8\n-1 1:-1\n+1 1:1\n-1 1:-0.6 2:-0.8\n");
  train({"a.svm", "--normalize", "l2", "--scale", "max"});
  train({"unit.svm", "--scale", "max"}, "twin.thresh");
  EXPECT_EQ(margins("m.thresh", "a.svm"), margins("twin.thresh", "unit.svm"));
}

TEST_F(CliScale, APipeIsKeptForASecondLook) {
  const Words once = {"--scale", "rms",        "--order", "sequential", "--passes",
                      "1",       "--positive", "1",       "-q"};
  Words file = {"train", "raw.svm", "-o", "file.thresh"},
        pipe = {"train", "-", "-o", "pipe.thresh"};
  file.insert(file.end(), once.begin(), once.end());
  pipe.insert(pipe.end(), once.begin(), once.end());
  silent(file);
  EXPECT_EQ(thresh_reading(ScratchDir::slurp(dir.file("raw.svm")), pipe).exit, 0);
  EXPECT_EQ(ScratchDir::slurp(dir.file("file.thresh")), ScratchDir::slurp(dir.file("pipe.thresh")));
}

TEST_F(CliScale, ValidationRowsAreScaledAlike) {
  const Json json = good_json({"train", "raw.svm", "--scale", "max", "--valid", "raw.svm", "--json",
                               "-q", "--passes", "20"});
  EXPECT_EQ(json.at("options").at("scale"), "max");
  EXPECT_EQ(json.at("valid_error"), 0);
}

TEST_F(CliScale, WhateverLearnsHasIt) {
  good({"tune", "raw.svm", "--scale", "max", "--grid", "eta=0.1,1", "--solver", "fobos", "-q", "-o",
        "t.thresh"});
  EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("t.thresh")), "\"scale\":\"max\""));
  good({"cv", "raw.svm", "--scale", "rms", "--solver", "fobos", "-q"});
  good({"path", "raw.svm", "--scale", "rms", "--solver", "l1", "-q"});
  good({"frontier", "raw.svm", "--scale", "max", "--budgets", "1,2", "-q"});
  EXPECT_TRUE(contains(bad(2, {"train", "raw.svm", "--scale", "l7"}), "--scale"));
}

TEST_F(CliScale, NothingIsProvedOfScaledRows) {
  EXPECT_TRUE(
      contains(bad(2, {"train", "raw.svm", "--scale", "max", "--certify", "--solver", "l1"}),
               "no certificate with --scale"));
  train({"raw.svm", "--scale", "max", "--solver", "margin-perceptron"});
  EXPECT_TRUE(contains(good({"diagnose", "raw.svm", "m.thresh", "--only", "theorems"}), "--scale"));
}

TEST_F(CliScale, DiagnoseNamesIt) {
  EXPECT_TRUE(contains(good({"diagnose", "raw.svm", "--only", "data"}), "advice: a penalty or a "));
  EXPECT_TRUE(contains(good({"diagnose", "raw.svm", "--only", "data"}), "--scale max"));
}
