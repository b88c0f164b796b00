// --scale: features on one scale while learning, a model for rows as they are.

#include <fmt/format.h>

#include <map>

#include "tools/program.hpp"

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

TEST_F(CliScale, ResultsSayIt) {
  const std::vector<Words> commands = {
      {"cv", "raw.svm", "--solver", "fobos"},
      {"path", "raw.svm", "--solver", "l1", "--values", "1,0.1", "--over", "lambda-ratio"},
      {"tune", "raw.svm", "--solver", "fobos", "--grid", "eta=1"},
      {"frontier", "raw.svm", "--budgets", "100%", "--solvers", "scd"}};
  for (Words words : commands) {
    words.push_back("--json");
    const Result plain = thresh(words);  // which may warn of the scales
    EXPECT_FALSE(Json::parse(plain.out).contains("scale")) << words[0];
    words.insert(words.end(), {"--scale", "rms"});
    EXPECT_EQ(good_json(words).at("scale"), "rms") << words[0];
  }
}

TEST_F(CliScale, TuneChoosesIt) {
  const Json json = good_json({"tune", "raw.svm", "--grid", "scale=none,rms,max eta=0.1", "--cv",
                               "3", "--solver", "fobos", "--loss", "logistic", "--passes", "2",
                               "--json", "-o", "m.thresh", "--state", "trials"});
  ASSERT_EQ(json.at("candidates").size(), 3u);
  std::map<std::string, Json> found;
  for (const Json& each : json.at("candidates")) {
    const std::string scale = each.at("settings").at("scale");
    found[scale] = each.at("loss");
    const Words alone = {"cv",    "raw.svm", "--folds",  "3",        "--solver",
                         "fobos", "--loss",  "logistic", "--passes", "2",
                         "--eta", "0.1",     "--json",   "--scale",  scale};
    EXPECT_EQ(good_json(alone).at("loss"), each.at("loss")) << scale;
    if (each.at("chosen") == true) {
      const std::string model = ScratchDir::slurp(dir.file("m.thresh"));
      EXPECT_EQ(contains(model, "\"scale\":\"" + scale + "\""), scale != "none");
    }
  }
  EXPECT_NE(found["none"], found["max"]);
  EXPECT_NE(found["rms"], found["max"]);
  // Trials that are known are told apart, too.
  const std::string trials = ScratchDir::slurp(dir.file("trials"));
  const Json again = good_json({"tune", "raw.svm", "--grid", "scale=none,rms,max eta=0.1", "--cv",
                                "3", "--solver", "fobos", "--loss", "logistic", "--passes", "2",
                                "--json", "-o", "m.thresh", "--state", "trials"});
  EXPECT_EQ(again.at("candidates"), json.at("candidates"));
  EXPECT_EQ(ScratchDir::slurp(dir.file("trials")), trials);
}

TEST_F(CliScale, WhatTuneCannotChoose) {
  EXPECT_TRUE(contains(bad(2, {"tune", "raw.svm", "--grid", "scale=l7", "--solver", "fobos"}),
                       "--scale l7: use auto, none, max, rms or standard"));
  EXPECT_TRUE(contains(bad(2, {"tune", "raw.svm", "--grid", "scale=none,max", "--scale", "max",
                               "--solver", "fobos"}),
                       "scale is given twice, by --grid and --scale"));
  EXPECT_TRUE(contains(
      bad(2, {"path", "raw.svm", "--over", "scale", "--values", "none,max", "--solver", "fobos"}),
      "--over scale"));
}

TEST_F(CliScale, NothingIsProvedOfScaledRows) {
  EXPECT_TRUE(
      contains(bad(2, {"train", "raw.svm", "--scale", "max", "--certify", "--solver", "l1"}),
               "--certify does not support --scale"));
  train({"raw.svm", "--scale", "max", "--solver", "margin-perceptron"});
  const std::string theorems = good({"diagnose", "raw.svm", "m.thresh", "--only", "theorems"});
  EXPECT_TRUE(contains(theorems, "--scale"));
  EXPECT_TRUE(contains(theorems, "normal: theorems for training without --scale"));
}

// A weight of few digits or none is an error where it matters, and only there.
TEST_F(CliScale, WeightsThatAreHardlyDoubles) {
  dir.write("raw.svm", rows(0x1p1022, 1));
  train({"raw.svm", "--scale", "max"});
  EXPECT_TRUE(contains(good({"weights", "m.thresh"}), "e-309\n"));
  dir.write("raw.svm", rows(0x1p-1070, 1));
  EXPECT_TRUE(
      contains(bad(1, {"train", "raw.svm", "--scale", "max", "--solver", "margin-perceptron"}),
               "does not fit in a double for the undivided values"));
}

TEST_F(CliScale, DiagnoseNamesIt) {
  EXPECT_TRUE(contains(good({"diagnose", "raw.svm", "--only", "data"}), "advice: a penalty or a "));
  EXPECT_TRUE(contains(good({"diagnose", "raw.svm", "--only", "data"}), "--scale max"));
}
