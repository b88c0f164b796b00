// thresh cache, and the cache that a run leaves beside its data: the same models, bit for bit.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tools/program.hpp"

class CliCache : public CliTest {
 protected:
  CliCache() { dir.write("a.svm", rows); }

  // More rows than one window of the shuffle holds.
  const std::string rows = random_rows({.rows = 18000, .features = 300});
};

// Rows that are drawn must be at hand: text that does not fit into memory is cached first.
TEST_F(CliCache, IsMadeForRowsThatAreDrawn) {
  const Words draw = {"a.svm", "--passes", "1", "--order", "replacement"};
  const std::string held = train(draw);
  EXPECT_FALSE(exists("a.svm.thresh-cache"));
  Words little = draw;
  little.insert(little.end(), {"--memory", "100kb"});
  EXPECT_EQ(train(little), held);
  EXPECT_TRUE(exists("a.svm.thresh-cache"));
}

// Without a cache, rows are drawn from a temporary file: those of a pipe, of compressed text, and
// of text that must not be cached.
TEST_F(CliCache, IsNotNeededForRowsThatAreDrawn) {
  const Words draw = {"--solver", "fobos", "--passes", "2", "--order", "replacement"};
  const Words little = {"--memory", "100kb", "--no-cache"};
  const auto train_on = [&](const std::string& data, const Words& more) {
    Words words = {data};
    words.insert(words.end(), draw.begin(), draw.end());
    words.insert(words.end(), more.begin(), more.end());
    return train(words);
  };
  const std::string held = train_on("a.svm", {"--no-cache"});
  EXPECT_EQ(train_on("a.svm", little), held);
  dir.write("a.gz", gzip(rows));
  EXPECT_EQ(train_on("a.gz", little), held);
  Words piped = {"train", "-", "-q", "-o", "p.thresh"};
  piped.insert(piped.end(), draw.begin(), draw.end());
  piped.insert(piped.end(), {"--memory", "100kb"});
  const Result result = thresh_reading(rows, piped);
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(ScratchDir::slurp(dir.file("p.thresh")), held);
  EXPECT_EQ(files(), (Words{"a.gz", "a.svm", "m.thresh", "p.thresh"}));
}

TEST_F(CliCache, IsDataForEveryCommand) {
  const std::string said = good({"cache", "a.svm", "-o", "a.cache"});
  EXPECT_TRUE(contains(said, "a.cache: 18,000 rows, "));
  for (const Words& options :
       {Words{"--passes", "3"}, Words{"--passes", "3", "--order", "sequential"},
        Words{"--passes", "2", "--normalize", "l2", "--holdout", "20%"},
        Words{"--passes", "2", "--density", "20%", "--dim", "134217729"},
        Words{"--solver", "fobos", "--passes", "2"}, Words{"--solver", "gcd", "--passes", "2"}}) {
    Words text = options, cache = options;
    text.insert(text.begin(), "a.svm");
    cache.insert(cache.begin(), "a.cache");
    EXPECT_EQ(train(cache, "c.thresh"), train(text)) << testing::PrintToString(options);
  }
  EXPECT_EQ(good({"predict", "m.thresh", "a.cache"}), good({"predict", "m.thresh", "a.svm"}));
  EXPECT_EQ(good({"eval", "m.thresh", "a.cache"}), good({"eval", "m.thresh", "a.svm"}));
  const auto cv_of = [](const std::string& data) {
    return Words{"cv", data, "--folds", "2", "--solver", "fobos", "--passes", "1", "--json"};
  };
  EXPECT_EQ(good_json(cv_of("a.cache")).at("error"), good_json(cv_of("a.svm")).at("error"));
}

// There the rows come in other windows: not even the last digit of a loss may depend on them.
TEST_F(CliCache, OnOneCoreTooItGivesTheSame) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "there is one core";
  good({"generate", "corpus", "--rows", "30000", "--features", "5000", "-o", "a.svm"});
  silent({"cache", "a.svm", "-o", "a.cache", "-q"});
  const auto train_on = [&](const std::string& cores) {
    Command one =
        command({"-c", cores, THRESH_BINARY, "train", "a.cache", "--solver", "margin-perceptron",
                 "--passes", "2", "--holdout", "20%", "-q", "-o", "m.thresh"});
    one.program = "/usr/bin/taskset";
    const Result result = run(one);
    EXPECT_EQ(result.exit, 0) << result;
    return ScratchDir::slurp(dir.file("m.thresh"));
  };
  EXPECT_EQ(train_on("0"), train_on("0,1"));
}

TEST_F(CliCache, IsMadeFromAnythingThatHoldsText) {
  silent({"cache", "a.svm", "-o", "a.cache", "-q"});
  const std::string expected = ScratchDir::slurp(dir.file("a.cache"));
  dir.write("a.gz", gzip(rows));
  silent({"cache", "a.gz", "-o", "b.cache", "-q"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("b.cache")), expected);
  const Result piped = thresh_reading(rows, {"cache", "-", "-o", "c.cache", "-q"});
  EXPECT_EQ(piped.exit, 0) << piped;
  EXPECT_EQ(ScratchDir::slurp(dir.file("c.cache")), expected);
  silent({"cache", "a.cache", "-o", "d.cache", "-q"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("d.cache")), expected);
}

TEST_F(CliCache, SaysWhatItMade) {
  const Json json = good_json({"cache", "a.svm", "-o", "a.cache", "--json"});
  EXPECT_EQ(json.at("rows"), 18000);
  EXPECT_EQ(json.at("dimension"), 300);
  EXPECT_EQ(json.at("text_bytes"), rows.size());
  EXPECT_EQ(json.at("bytes"), std::filesystem::file_size(dir.file("a.cache")));
  EXPECT_LT(json.at("bytes").get<std::size_t>(), rows.size() / 2);
}

TEST_F(CliCache, ThatIsDamagedIsAnError) {
  silent({"cache", "a.svm", "-o", "a.cache", "-q"});
  std::string content = ScratchDir::slurp(dir.file("a.cache"));
  dir.write("cut.cache", content.substr(0, content.size() / 2));
  EXPECT_EQ(bad(1, {"train", "cut.cache"}),
            "thresh: cut.cache: not a valid cache: it is truncated (create it again)");
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  dir.write("flipped.cache", content);
  EXPECT_TRUE(contains(bad(1, {"train", "flipped.cache", "-q"}), "of 18: its checksum is wrong"));
  EXPECT_FALSE(exists("flipped.cache.thresh"));
}

TEST_F(CliCache, RefusesWhatMakesNoSense) {
  EXPECT_EQ(bad(2, {"cache", "a.svm", "-o", "a.svm"}),
            "thresh: the cache would overwrite the data: a.svm");
  EXPECT_EQ(bad(2, {"train", "a.svm", "--cache", "--no-cache"}),
            "thresh: --no-cache excludes --cache");
  silent({"cache", "a.svm", "-o", "a.cache", "-q"});
  const Result piped =
      thresh_reading(ScratchDir::slurp(dir.file("a.cache")), {"train", "-", "-o", "m.thresh"});
  EXPECT_EQ(piped.exit, 1);
  EXPECT_EQ(complaint(piped),
            "thresh: <stdin>: a cache cannot be read from a pipe; give its file name");
  EXPECT_EQ(bad(1, {"vectorize", "a.cache", "-o", "b.svm"}),
            "thresh: a.cache: this is a cache, but text is needed here");
}

TEST_F(CliCache, BesideTheDataGivesTheSameModel) {
  const std::string plain = train({"a.svm", "--passes", "3"});
  EXPECT_FALSE(exists("a.svm.thresh-cache")) << "the text is small";
  EXPECT_EQ(train({"a.svm", "--passes", "3", "--cache"}), plain) << "made";
  EXPECT_TRUE(exists("a.svm.thresh-cache"));
  EXPECT_EQ(train({"a.svm", "--passes", "3"}), plain) << "used";
  EXPECT_EQ(train({"a.svm", "--passes", "3", "--no-cache"}), plain) << "left alone";
}

// What is in the file is not what is in the text, so that it can be seen which one was read.
TEST_F(CliCache, BesideTheDataIsReadUnlessThatIsForbidden) {
  train({"a.svm", "--passes", "3", "--cache"});
  std::string content = ScratchDir::slurp(dir.file("a.svm.thresh-cache"));
  dir.write("a.svm.thresh-cache", content.substr(0, content.size() - 1));
  const Result used = thresh({"train", "a.svm", "--solver", "margin-perceptron", "-q"});
  EXPECT_EQ(used.exit, 0) << used;
  EXPECT_EQ(complaint(used),
            "thresh: a.svm.thresh-cache: not a valid cache: it is truncated (create it again); "
            "reading a.svm instead");
  silent({"train", "a.svm", "--solver", "margin-perceptron", "-q", "--no-cache"});
}

TEST_F(CliCache, LargeTextThatIsReadAgainIsCachedUnasked) {
  const std::string line = "+1 1:0.5 2:0.25 # " + std::string(1000, '.') + "\n";
  std::string large;
  while (large.size() < (std::size_t{64} << 20)) large += line + "-1 3:1\n";
  dir.write("large.svm", large);
  train({"large.svm", "--passes", "1"});
  EXPECT_FALSE(exists("large.svm.thresh-cache")) << "one pass";
  train({"large.svm", "--passes", "2", "--no-cache"});
  EXPECT_FALSE(exists("large.svm.thresh-cache"));
  train({"large.svm", "--passes", "2"});
  EXPECT_TRUE(exists("large.svm.thresh-cache"));
  EXPECT_EQ(files(), (Words{"a.svm", "large.svm", "large.svm.thresh-cache", "m.thresh"}));
}

TEST_F(CliCache, AFolderThatCannotBeWrittenIsSaidOnce) {
  std::filesystem::create_directory(dir.file("locked"));
  dir.write("locked/a.svm", rows);
  ::chmod(dir.file("locked").c_str(), 0555);
  if (::access(dir.file("locked").c_str(), W_OK) == 0) {
    ::chmod(dir.file("locked").c_str(), 0755);
    GTEST_SKIP() << "nothing is locked for this user";
  }
  const Result result = thresh({"train", "locked/a.svm", "--solver", "margin-perceptron", "--cache",
                                "-q", "-o", "m.thresh"});
  ::chmod(dir.file("locked").c_str(), 0755);
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(complaint(result), "locked/a.svm.thresh-cache: cannot write: "));
  EXPECT_TRUE(contains(complaint(result), "; continuing without a cache"));
}

TEST_F(CliCache, ADiskThatIsFullIsSaidOnce) {
  Command limited = command({"train", "a.svm", "--solver", "margin-perceptron", "--cache", "-q",
                             "--passes", "2", "-o", "m.thresh"});
  limited.file_limit = 50'000;  // room for the model, not for the cache
  const Result result = run(limited);
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(complaint(result), "a.svm.thresh-cache: cannot write: "));
  EXPECT_EQ(files(), (Words{"a.svm", "m.thresh"}));
}

TEST_F(CliCache, TwoProcessesMayWriteItAtOnce) {
  const Command make = command({"train", "a.svm", "--solver", "margin-perceptron", "--passes", "2",
                                "--cache", "-q", "-o", "m.thresh"});
  Process one(make), other(make);
  EXPECT_EQ(one.finish().exit, 0);
  EXPECT_EQ(other.finish().exit, 0);
  EXPECT_EQ(files(), (Words{"a.svm", "a.svm.thresh-cache", "m.thresh"}));
  silent({"train", "a.svm", "--solver", "margin-perceptron", "--passes", "2", "-q"});
}
