// Ctrl-C keeps the model so far once there is one, and otherwise leaves nothing.

#include <signal.h>

#include <algorithm>
#include <thread>

#include "tools/program.hpp"

class CliInterrupt : public CliTest {
 protected:
  // More than a pipe holds: once it is gone, the program has started and is reading.
  static constexpr std::uint64_t kStarted = 1 << 20;

  // Waits for rows of the progress table; false if the program ended before.
  static bool learns(Process& process) {
    return process.run_until([&] { return std::ranges::count(process.err(), '\n') >= 3; });
  }

  void expect_model(const Result& result, int exit, const std::string& model) const {
    EXPECT_EQ(result.exit, exit) << result;
    EXPECT_TRUE(contains(result.err, "thresh: stopped; the model so far is in " + model + "\n"));
    const Json json = good_json({"export", model, "--format", "json"});
    EXPECT_GT(json.at("summary").at("examples"), 0);
    EXPECT_EQ(json.at("summary").at("status"), "stopped");
    EXPECT_FALSE(json.at("weights").empty());
    for (const std::string& name : files())
      EXPECT_EQ(name.find(".tmp."), std::string::npos) << name;
  }
};

TEST_F(CliInterrupt, LongTrainingKeepsTheModelSoFar) {
  dir.write("a.svm", random_rows({}));  // flipped labels: never converges
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Process process(command({"train", "a.svm", "--passes", "1000000000", "-o", "m.thresh"}));
    ASSERT_TRUE(learns(process));
    process.signal(number);
    const Result result = process.finish();
    expect_model(result, 128 + number, "m.thresh");
    EXPECT_TRUE(contains(result.out, "stopped"));
  }
  EXPECT_LT(good_json({"eval", "m.thresh", "a.svm", "--json"}).at("error"), 0.5);
}

TEST_F(CliInterrupt, NoCertificateOfHalfATraining) {
  dir.write("a.svm", random_rows({}));
  Process process(command({"train", "a.svm", "--solver", "margin-perceptron", "--certify",
                           "--passes", "1000000000", "-o", "m.thresh"}));
  ASSERT_TRUE(learns(process));
  process.signal(SIGINT);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 130) << result;
  EXPECT_TRUE(contains(result.err, "the model so far is in m.thresh, without a certificate\n"));
  EXPECT_TRUE(contains(bad(1, {"verify", "m.thresh", "a.svm"}), "it has no certificate"));
}

// Of a proof there is something from its beginning.
TEST_F(CliInterrupt, AProofSoFarIsOne) {
  dir.write("a.svm", random_rows({}));
  Process process(command({"train", "a.svm", "--solver", "budget", "--features", "9", "--ridge",
                           "0.001", "--prove", "0.01%", "--prove-time", "10h", "-o", "m.thresh"}));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "proving"); }));
  process.signal(SIGINT);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 130) << result;
  EXPECT_TRUE(contains(result.err, "stopped; the model so far is in m.thresh\n")) << result;
  EXPECT_TRUE(contains(result.err, "was not reached: it was interrupted")) << result;
  EXPECT_TRUE(contains(result.out, "no other choice of 9 features")) << result;
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "the certificate holds"));
}

TEST_F(CliInterrupt, EndlessStreamKeepsTheModelSoFar) {
  Command endless = command({"train", "-", "--order", "sequential", "--passes", "1", "--positive",
                             "1", "-o", "m.thresh"});
  endless.input_pipe = true;
  Process process(endless);
  process.feed_forever(random_rows({.rows = 1000}));
  ASSERT_TRUE(learns(process));
  process.signal(SIGINT);
  expect_model(process.finish(), 130, "m.thresh");
}

TEST_F(CliInterrupt, StreamThatFallsSilentKeepsTheModelSoFar) {
  Command silent = command({"train", "-", "--order", "sequential", "--passes", "1", "--positive",
                            "1", "-o", "m.thresh"});
  silent.input_pipe = true;
  Process process(silent);
  process.feed(random_rows({.rows = 40000}));
  ASSERT_TRUE(learns(process));
  process.signal(SIGINT);
  expect_model(process.finish(), 130, "m.thresh");
}

TEST_F(CliInterrupt, NothingIsWrittenBeforeTrainingStarts) {
  Command spooling = command({"train", "-", "-o", "m.thresh"});
  spooling.input_pipe = true;
  Process process(spooling);
  process.feed_forever(random_rows({.rows = 1000}));
  ASSERT_TRUE(process.run_until([&] { return process.fed() > kStarted; }));
  process.signal(SIGINT);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 130) << result;
  EXPECT_TRUE(contains(result.err, "interrupted"));
  EXPECT_EQ(files(), Words{});
}

// Whether a row has been learned when the signal comes is up to chance; but a model that has
// learned nothing must not take the place of one that has.
TEST_F(CliInterrupt, ModelThatLearnedNothingIsNotWritten) {
  const std::string old = dir.write("m.thresh", "an older model");
  Command silent_pipe = command({"train", "-", "--order", "sequential", "--passes", "1",
                                 "--positive", "1", "-o", "m.thresh"});
  silent_pipe.input_pipe = true;
  Process process(silent_pipe);
  const std::string rows = random_rows({.rows = 5000});  // more than a pipe holds
  process.feed(rows);
  ASSERT_TRUE(process.run_until([&] { return process.fed() == rows.size(); }));
  process.signal(SIGINT);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 130) << result;
  if (ScratchDir::slurp(old) != "an older model") {
    const Json json = good_json({"export", "m.thresh", "--format", "json"});
    EXPECT_GT(json.at("summary").at("examples"), 0) << result;
  }
}

TEST_F(CliInterrupt, PredictLeavesNoHalfFile) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  Command endless = command({"predict", "m.thresh", "-", "-o", "p.txt"});
  endless.input_pipe = true;
  Process process(endless);
  process.feed_forever(random_rows({.rows = 1000}));
  ASSERT_TRUE(process.run_until([&] { return process.fed() > kStarted; }));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().exit, 130);
  EXPECT_EQ(files(), (Words{"m.thresh", "tiny.svm"}));
}

TEST_F(CliInterrupt, EvalGivesUp) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  Command endless = command({"eval", "m.thresh", "-"});
  endless.input_pipe = true;
  Process process(endless);
  process.feed_forever(kTiny);
  ASSERT_TRUE(process.run_until([&] { return process.fed() > kStarted; }));
  process.signal(SIGINT);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 130);
  EXPECT_EQ(result.out, "");
}

TEST_F(CliInterrupt, GenerateLeavesNoHalfFile) {
  Process process(command({"generate", "corpus", "--rows", "1000000000", "-o", "c.svm"}));
  // Its file without a name is the sign that it has started.
  while (!process.holds_file_in(dir.path)) std::this_thread::yield();
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().exit, 130);
  EXPECT_EQ(files(), Words{});
}

TEST_F(CliInterrupt, ReaderThatLeavesEndsGenerateQuietly) {
  // `thresh generate corpus | head -1`
  Command piped = command({"-c", std::string(THRESH_BINARY) +
                                     " generate corpus --rows 1000000000 | head -1 | cut -c1-2"});
  piped.program = "/bin/sh";
  const Result result = run(piped);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out == "+1\n" || result.out == "-1\n") << result.out;
}
