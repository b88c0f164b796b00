// No output takes the place of a file that the same command reads or writes: exit 2, one line, and
// every file as it was.

#include <filesystem>

#include "tools/program.hpp"

class CliOutputs : public CliTest {
 protected:
  void SetUp() override {
    for (const char* name : {"a.svm", "b.svm"}) dir.write(name, random_rows({.rows = 50}));
    dir.write("t.tsv", "x\tone two\ny\ttwo three\n");
    train({"a.svm", "--trace", "a.jsonl"});
    dir.write("names", "one\n");
  }

  void refused(const Words& words, const std::string& why) const {
    const Words before = files();
    std::vector<std::string> contents;
    for (const std::string& file : before) contents.push_back(ScratchDir::slurp(dir.file(file)));
    EXPECT_EQ(bad(2, words), "thresh: " + why);
    ASSERT_EQ(files(), before) << why;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(ScratchDir::slurp(dir.file(before[i])) == contents[i]) << before[i];
    }
  }
};

TEST_F(CliOutputs, OfTrainingReplaceNothing) {
  const auto train = [&](Words words, const std::string& why) {
    words.insert(words.begin(), {"train", "a.svm", "--features", "5"});
    refused(words, why);
  };
  train({"-o", "./a.svm"}, "the model would overwrite the training data: ./a.svm");
  train({"--trace", "a.svm"}, "the trace would overwrite the training data: a.svm");
  train({"--valid", "b.svm", "--trace", "b.svm"},
        "the trace would overwrite the validation data: b.svm");
  train({"--valid", "b.svm", "-o", "b.svm"},
        "the model would overwrite the validation data: b.svm");
  train({"--names", "names", "-o", "names"}, "the model would overwrite the names: names");
  train({"--weights", "names", "-o", "names"}, "the model would overwrite the weights: names");
  train({"--trace", "new", "-o", "./new"}, "the trace would overwrite the model: new");
  train({"--trace", "a.svm.thresh"}, "the trace would overwrite the model: a.svm.thresh");
  train({"--solver", "margin-perceptron", "--from", "m.thresh", "--trace", "m.thresh"},
        "the trace would overwrite the model to start from: m.thresh");
  refused({"train", "a.svm", "-o", "a.svm"}, "the model would overwrite the training data: a.svm");
}

// Before the work, not after it.
TEST_F(CliOutputs, ThatCannotBeWrittenAreSaid) {
  const auto at_once = [&](Words words) {
    words.insert(words.end(), {"--passes", "1000000000"});
    EXPECT_TRUE(contains(bad(1, words), "cannot write: No such file or directory"));
  };
  at_once({"train", "a.svm", "--features", "5", "-o", "none/m"});
  at_once({"train", "a.svm", "-o", "none/m"});
  at_once({"tune", "a.svm", "--solver", "ftrl", "--grid", "eta=1,2", "-o", "none/m"});
  at_once({"path", "a.svm", "--solver", "ftrl", "--over", "eta", "--values", "1,2", "--save",
           "/proc/none/models"});
  EXPECT_TRUE(
      contains(bad(1, {"train", "a.svm", "--passes", "1000000000", "-o", "."}), "is a directory"));
}

TEST_F(CliOutputs, KeepThePermissionsOfWhatTheyReplace) {
  namespace fs = std::filesystem;
  const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(dir.file("m.thresh"), own);
  train({"a.svm"});
  EXPECT_EQ(fs::status(dir.file("m.thresh")).permissions(), own);
}

TEST_F(CliOutputs, OfSearchesReplaceNothing) {
  const Words tune = {"tune", "a.svm", "--solver", "ftrl", "--grid", "eta=1,2"};
  const auto plus = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  refused(plus(tune, {"-o", "a.svm"}), "the model would overwrite the training data: a.svm");
  refused(plus(tune, {"--state", "a.svm"}), "the state would overwrite the training data: a.svm");
  refused(plus(tune, {"--state", "new", "-o", "new"}), "the state would overwrite the model: new");
  refused({"frontier", "a.svm", "--trace", "a.svm"},
          "the trace would overwrite the training data: a.svm");
  refused({"frontier", "a.svm", "--test", "b.svm", "--trace", "b.svm"},
          "the trace would overwrite the test data: b.svm");
  std::filesystem::copy(dir.file("a.svm"), dir.file("eta=2.thresh"));
  refused({"path", "eta=2.thresh", "--solver", "ftrl", "--over", "eta", "--values", "1,2", "--save",
           "."},
          "the model would overwrite the training data: ./eta=2.thresh");
}

TEST_F(CliOutputs, OfOtherCommandsReplaceNothing) {
  refused({"export", "m.thresh", "--format", "json", "-o", "m.thresh"},
          "the export would overwrite the model: m.thresh");
  refused({"report", "m.thresh", "a.jsonl", "--data", "-o", "a.jsonl"},
          "the report would overwrite the results: a.jsonl");
  refused({"predict", "m.thresh", "a.svm", "-o", "a.svm"},
          "the predictions would overwrite the data: a.svm");
  refused({"predict", "m.thresh", "a.svm", "-o", "m.thresh"},
          "the predictions would overwrite the model: m.thresh");
  refused({"convert", "a.svm", "-o", "a.svm"}, "the rows would overwrite the data: a.svm");
  refused({"convert", "a.svm", "--kernel-expand", "b.svm", "-o", "b.svm"},
          "the rows would overwrite the rows to compare with: b.svm");
  refused({"convert", "a.svm", "-o", "new", "--labels", "new"},
          "the labels would overwrite the rows: new");
  refused({"convert", "a.svm", "-o", "new", "--names-out", "a.svm"},
          "the names would overwrite the data: a.svm");
  refused({"cache", "a.svm", "-o", "a.svm"}, "the cache would overwrite the data: a.svm");
  refused({"vectorize", "t.tsv", "-o", "new", "--names", "t.tsv"},
          "the names would overwrite the text: t.tsv");
  refused({"vectorize", "t.tsv", "-o", "new", "--also", "t.tsv=new"},
          "the rows would overwrite the rows: new");
  refused({"vectorize", "t.tsv", "-o", "new", "--stop-words", "names", "--labels", "names"},
          "the labels would overwrite the stop words: names");
  refused({"generate", "corpus", "-o", "new", "--names", "new"},
          "the names would overwrite the rows: new");
  refused({"generate", "gaussian", "-o", "new", "--truth", "new"},
          "the true weights would overwrite the rows: new");
}

TEST_F(CliOutputs, ALinkIsTheFileItLeadsTo) {
  std::filesystem::create_symlink("a.svm", dir.file("link"));
  refused({"predict", "m.thresh", "a.svm", "-o", "link"},
          "the predictions would overwrite the data: link");
}

TEST_F(CliOutputs, StandardInputMayBeAFile) {
  Command command = this->command({"predict", "m.thresh", "-", "-o", "a.svm"});
  command.input_file = dir.file("a.svm");
  const Result result = run(command);
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(complaint(result), "thresh: the predictions would overwrite the data: a.svm");
}

TEST_F(CliOutputs, ADashIsNoFile) {
  const auto dash = [&](Words words, const std::string& what) {
    words.insert(words.end(), {"-o", "-"});
    refused(words, "cannot write the " + what + " to -: give a file name, or /dev/stdout");
  };
  dash({"train", "a.svm", "--features", "5"}, "model");
  dash({"train", "a.svm"}, "model");
  dash({"predict", "m.thresh", "a.svm"}, "predictions");
  dash({"export", "m.thresh", "--format", "json"}, "export");
  dash({"report", "m.thresh", "--data"}, "report");
  dash({"generate", "corpus"}, "rows");
  dash({"vectorize", "t.tsv"}, "rows");
}

TEST_F(CliOutputs, WhatReplacesNothingIsAllowed) {
  good({"train", "a.svm", "-q", "--solver", "margin-perceptron", "--from", "m.thresh", "-o",
        "m.thresh"});
  good({"train", "a.svm", "-q", "--features", "5", "-o", "/dev/null", "--trace", "/dev/null"});
}
