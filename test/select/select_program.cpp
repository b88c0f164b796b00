// tune, cv and path: the real program against `train`, one run after the other.

#include <signal.h>

#include <cmath>

#include "tools/program.hpp"

class CliSelect : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", random_rows({.rows = 800}));
    dir.write("b.svm", random_rows({.rows = 300, .seed = 2}));
  }
  static Words plus(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json train_json(const Words& options) const {
    return good_json(plus({"train", "a.svm", "--json", "-o", "t.thresh"}, options));
  }
  const Words fobos{"--solver", "fobos", "--passes", "3"};
};

TEST_F(CliSelect, TuneSaysWhatTrainSaysAndLearnsFromAllRows) {
  const Words grid{"--grid", "lambda=0.001,0.02 eta=0.1,1", "--json", "-o", "m.thresh"};
  for (const Words& valid : {Words{"--holdout", "30%"}, Words{"--valid", "b.svm"}, Words{}}) {
    const Json json = good_json(plus(plus(plus({"tune", "a.svm"}, fobos), grid), valid));
    ASSERT_EQ(json.at("candidates").size(), 4U);
    double best = 2;
    for (const Json& candidate : json.at("candidates")) {
      const Words settings{"--lambda", candidate.at("settings").at("lambda"), "--eta",
                           candidate.at("settings").at("eta")};
      const Words held_out = valid.empty() ? Words{"--holdout", "20%"} : valid;
      const Json alone = train_json(plus(plus(fobos, settings), held_out));
      EXPECT_EQ(candidate.at("error").at("mean"), alone.at("valid_error"));
      EXPECT_EQ(candidate.at("loss").at("mean"), alone.at("valid_loss"));
      EXPECT_EQ(candidate.at("nonzeros").at("mean"), alone.at("nonzeros"));
      EXPECT_LE(best == 2 ? 0 : best, candidate.at("error").at("mean").get<double>());
      best = candidate.at("error").at("mean");
      if (!candidate.at("chosen").get<bool>()) continue;
      const Words rest = valid.empty() || valid[0] == "--holdout" ? Words{} : valid;
      EXPECT_EQ(train(plus(plus(plus({"a.svm"}, fobos), settings), rest), "all.thresh"),
                ScratchDir::slurp(dir.file("m.thresh")));
    }
    EXPECT_TRUE(json.at("candidates").at(0).at("chosen"));
  }
}

TEST_F(CliSelect, TuneTableMarksTheChoiceAndNamesFailures) {
  const std::string table =
      good({"tune", "a.svm", "--solver", "fobos", "--loss", "squared", "--schedule", "constant",
            "--grid", "eta=0.01,-1,1e9", "--passes", "2"});
  const std::vector<std::string> lines = lines_of(table);
  ASSERT_EQ(lines.size(), 5U) << table;
  EXPECT_TRUE(contains(lines[0], "non-zeros"));
  EXPECT_TRUE(lines[1].starts_with("*") && contains(lines[1], "0.01"));
  EXPECT_TRUE(contains(table, "--eta must be a finite number above 0"));
  EXPECT_TRUE(contains(table, "diverged: "));
  EXPECT_TRUE(contains(lines[4], "model: a.svm.thresh (all rows, "));
  EXPECT_TRUE(exists("a.svm.thresh"));
  EXPECT_TRUE(contains(bad(1, {"tune", "a.svm", "--solver", "fobos", "--loss", "squared",
                               "--schedule", "constant", "--grid", "eta=1e9", "-o", "n.thresh"}),
                       "all candidates failed"));
  EXPECT_FALSE(exists("n.thresh"));
}

TEST_F(CliSelect, RandomAndHalvingAreTheSameEveryTime) {
  const Words grid{"tune",     "a.svm",  "--solver",
                   "fobos",    "--grid", "lambda=log:1e-4:0.1:5 eta=0.1,1",
                   "--passes", "9",      "--json"};
  const Json random = good_json(plus(grid, {"--search", "random", "--candidates", "6"}));
  EXPECT_EQ(random.at("candidates").size(), 6U);
  EXPECT_EQ(random, good_json(plus(grid, {"--search", "random", "--candidates", "6"})));
  const Json halving = good_json(plus(grid, {"--search", "halving"}));
  EXPECT_EQ(halving.at("candidates").size(), 10U);
  EXPECT_EQ(halving.at("candidates").at(0).at("rung"), 2);
  EXPECT_EQ(halving, good_json(plus(grid, {"--search", "halving"})));
  EXPECT_EQ(
      good_json(plus(grid, {"--search", "halving", "--candidates", "4"})).at("candidates").size(),
      4U);
}

TEST_F(CliSelect, AnInterruptedSearchGoesOnFromItsState) {
  const Words words{"tune", "a.svm", "--solver", "fobos",   "--grid", "lambda=log:1e-4:0.1:50",
                    "--cv", "3",     "--json",   "--state", "s"};
  const Words whole = plus(words, {"--passes", "2", "-o", "m.thresh"});
  const Json expected = good_json(whole);
  const std::string trials = ScratchDir::slurp(dir.file("s"));
  const std::string model = ScratchDir::slurp(dir.file("m.thresh"));
  EXPECT_EQ(lines_of(trials).size(), 151U);
  dir.write("s", trials.substr(0, trials.size() / 2));
  EXPECT_EQ(good_json(whole), expected);
  EXPECT_EQ(ScratchDir::slurp(dir.file("m.thresh")), model);

  dir.write("s", "");
  Process process(command(plus(words, {"--passes", "1000000", "-o", "n.thresh"})));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "tuning"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_EQ(stopped.out, "");
  EXPECT_TRUE(
      contains(stopped.err, "thresh: stopped; run the same command again to resume from s\n"));
  EXPECT_FALSE(exists("n.thresh"));
  EXPECT_TRUE(contains(bad(1, plus(whole, {"--scale", "max"})),
                       "s: its trials used --scale auto, not max; choose another --state"));
  EXPECT_TRUE(contains(bad(1, plus(whole, {"--normalize", "l2"})),
                       "s: its trials used --normalize none, not l2; choose another --state"));
  dir.write("a.svm", random_rows({.rows = 801}));
  EXPECT_TRUE(contains(bad(1, whole), "its trials are from other data"));
}

TEST_F(CliSelect, AnInterruptionOfTheLastRunOfASearchKeepsTheModelSoFar) {
  dir.write("c.svm", random_rows({.rows = 20000}));
  Process process(command({"tune", "c.svm", "--solver", "fobos", "--grid", "lambda=0.001,0.02",
                           "--holdout", "99.9%", "--passes", "5000", "--state", "s"}));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "non-zeros"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_TRUE(stopped.err.ends_with("thresh: stopped; the model so far is in c.svm.thresh\n"));
  EXPECT_TRUE(contains(stopped.out, "model: c.svm.thresh (interrupted, "));
  const Json json = good_json({"export", "c.svm.thresh", "--format", "json"});
  EXPECT_EQ(json.at("summary").at("status"), "stopped");
  EXPECT_EQ(lines_of(ScratchDir::slurp(dir.file("s"))).size(), 3U);
}

// Feature 41 is in one row alone: where that is held out, there is nothing to keep.
TEST_F(CliSelect, TuneWarnsOfWhatTheChosenRunsWarnOf) {
  std::vector<std::string> rows = lines_of(random_rows({.rows = 300}));
  rows[17] += " 41:1";
  dir.write("d.svm", join_lines(rows));
  const Words words{"tune", "d.svm", "--grid", "features=3,6", "--keep",  "41",
                    "--cv", "3",     "-q",     "--json",       "--state", "s"};
  std::string first;
  for (const bool resumed : {false, true}) {
    const Result result = thresh(words);
    EXPECT_EQ(result.exit, 0) << result;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result;
    EXPECT_TRUE(result.err.starts_with("thresh: warning: --keep 41: no row taught anything"));
    const Json json = Json::parse(result.out);
    ASSERT_EQ(json.at("warnings").size(), 1U);
    EXPECT_TRUE(contains(json.at("warnings").at(0), "--keep 41"));
    if (resumed) {
      EXPECT_EQ(result.out, first);
    }
    first = result.out;
  }
  // What all runs warn of is told once, by the last of them.
  const Result all = thresh({"tune", "a.svm", "--grid", "features=3,6", "--keep", "42", "--cv", "3",
                             "-q", "--dim", "42"});
  EXPECT_EQ(all.exit, 0) << all;
  EXPECT_EQ(lines_of(all.err).size(), 1U) << all;
}

TEST_F(CliSelect, AnInterruptedPathWritesNothing) {
  Process process(command({"path", "a.svm", "--solver", "fobos", "--over", "lambda", "--values",
                           "0,0.1", "--passes", "1000000000", "--save", "models"}));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "training"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_TRUE(contains(stopped.err, "thresh: interrupted; no file was written\n"));
  EXPECT_FALSE(exists("models"));
}

TEST_F(CliSelect, CvIsTheMeanOverItsFolds) {
  const Json json = good_json(plus({"cv", "a.svm", "--folds", "4", "--json"}, fobos));
  ASSERT_EQ(json.at("folds").size(), 4U);
  double sum = 0, squares = 0, rows = 0;
  for (const Json& fold : json.at("folds")) {
    sum += fold.at("error").get<double>();
    squares += std::pow(fold.at("error").get<double>(), 2);
    rows += fold.at("rows").get<double>();
  }
  EXPECT_EQ(rows, 800);
  EXPECT_NEAR(json.at("error").at("mean"), sum / 4, 1e-12);
  EXPECT_NEAR(json.at("error").at("se"), std::sqrt((squares - sum * sum / 4) / 3 / 4), 1e-9);
  const std::string table = good(plus({"cv", "a.svm"}, fobos));
  EXPECT_EQ(lines_of(table).size(), 1U + 5 + 2);
  EXPECT_TRUE(contains(table, "s.e."));
  silent(plus({"cv", "a.svm", "-q"}, fobos));
  EXPECT_EQ(files(), (Words{"a.svm", "b.svm"}));  // nothing is written
  const Words wild{"cv", "a.svm", "--loss", "squared", "--schedule", "constant", "--eta", "1e9"};
  EXPECT_TRUE(contains(bad_after_warnings(1, plus(wild, fobos)), "fold 1: diverged"));
}

// The choice must not see the fold: of labels that are drawn, no feature tells anything.
TEST_F(CliSelect, CvChoosesASizeWithoutTheFold) {
  const Json chosen = good_json({"cv", "a.svm", "--json"});
  double rows = 0;
  for (const Json& fold : chosen.at("folds")) rows += fold.at("rows").get<double>();
  EXPECT_EQ(rows, 800);
  EXPECT_LE(chosen.at("nonzeros").at("mean"), 42);
  EXPECT_LT(chosen.at("error").at("mean"), 0.3);
  std::string noise;
  std::uint64_t state = 1;
  for (int i = 0; i < 90; ++i) {
    noise += i % 2 == 0 ? "1" : "-1";
    for (int j = 1; j <= 300; ++j) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      if ((state >> 33) % 4 == 0) noise += " " + std::to_string(j) + ":1";
    }
    noise += "\n";
  }
  dir.write("noise.svm", noise);
  for (const Words& size : std::vector<Words>{{}, {"--features", "10"}}) {
    const Result result = thresh(plus({"cv", "noise.svm", "--json", "-q"}, size));
    ASSERT_EQ(result.exit, 0) << result.err;
    EXPECT_GT(Json::parse(result.out).at("error").at("mean"), 0.35);
  }
}

// Scaled rows are judged with the weights for them.
TEST_F(CliSelect, CvOfScaledRows) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    const int x = 1000 + i * 37 % 101, z = i * 17 % 7;
    rows +=
        std::to_string(3 * x) + " 1:" + std::to_string(x) + " 2:" + std::to_string(1e-3 * z) + "\n";
  }
  dir.write("s.svm", rows);
  for (const std::string scale : {"none", "max", "rms", "standard"}) {
    const Result result = thresh({"cv", "s.svm", "--task", "regression", "--features", "2",
                                  "--ridge", "1e-9", "--scale", scale, "--json", "-q"});
    ASSERT_EQ(result.exit, 0) << result.err;  // it may warn of scales
    EXPECT_LT(Json::parse(result.out).at("error").at("mean"), 1) << scale;
  }
}

TEST_F(CliSelect, PathSaysWhyAValueFailed) {
  const Words words{"path",       "a.svm",    "--solver", "fobos", "--loss",   "squared",
                    "--schedule", "constant", "--over",   "eta",   "--values", "0.01,1e9"};
  const Json failed = Json::parse(thresh(plus(words, {"--json"})).out).at("models").at(1);
  EXPECT_EQ(failed.at("status"), "diverged");
  EXPECT_TRUE(contains(failed.at("reason"), "a margin is out of bounds"));
  const std::string reason = failed.at("reason");
  EXPECT_EQ(lines_of(thresh(words).out).back(), "1e9  diverged: " + reason);
}

TEST_F(CliSelect, PathIsATrainForEachValue) {
  const Json json =
      good_json(plus({"path", "a.svm", "--over", "lambda", "--from", "0.1", "--to", "0.001",
                      "--count", "3", "--save", "models", "--holdout", "25%", "--json"},
                     fobos));
  ASSERT_EQ(json.at("models").size(), 3U);
  for (const Json& point : json.at("models")) {
    const Words value{"--lambda", point.at("value"), "--holdout", "25%"};
    const Json alone = train_json(plus(plus(fobos, value), {"--trace-at", "passes"}));
    for (const char* key : {"nonzeros", "objective", "train_error", "valid_error", "valid_loss"}) {
      EXPECT_EQ(point.at(key), alone.at(key)) << key;
    }
    EXPECT_EQ(ScratchDir::slurp(dir.file(point.at("model").get<std::string>())),
              ScratchDir::slurp(dir.file("t.thresh")));
  }
  const std::string table = good({"path", "a.svm", "--solver", "budget", "--over", "features",
                                  "--values", "2,5,9", "--passes", "3"});
  EXPECT_EQ(lines_of(table).size(), 4U) << table;
}

TEST_F(CliSelect, RegressionAndSeveralClasses) {
  std::string rows;
  for (int i = 0; i < 90; ++i)
    rows += std::to_string(i % 3) + " " + std::to_string(i % 3 + 1) + ":1\n";
  dir.write("c.svm", rows);
  const Words grid{"--solver", "fobos", "--grid", "eta=0.1,0.5", "-q"};
  silent(plus({"tune", "c.svm"}, grid));
  silent(plus({"tune", "c.svm", "--task", "regression", "--cv", "3"}, grid));
  EXPECT_TRUE(contains(good({"cv", "c.svm", "--task", "regression", "--solver", "fobos"}), "RMSE"));
  good({"path", "c.svm", "--solver", "cd", "--over", "lambda", "--values", "0.1,0.01"});
}

TEST_F(CliSelect, WhatMakesNoSenseIsSaidAtOnce) {
  const Words tune{"tune", "a.svm", "--solver", "fobos"};
  const auto refused = [&](const Words& words, const std::string& part) {
    EXPECT_TRUE(contains(bad(2, words), part));
  };
  refused(tune, "--grid is required");
  refused(plus(tune, {"--grid", "lamda=1"}), "did you mean lambda?");
  refused(plus(tune, {"--grid", "tau=1"}), "has no option tau");
  refused(plus(tune, {"--grid", "eta=-1,-2"}), "--eta must be");
  refused(plus(tune, {"--grid", "eta=1", "--search", "random"}), "needs --candidates");
  refused(plus(tune, {"--grid", "eta=1", "--candidates", "3"}), "--candidates requires");
  refused(plus(tune, {"--grid", "eta=1", "--cv", "1"}), "--cv must be at least 2");
  refused(plus(tune, {"--grid", "eta=1", "--cv", "3", "--holdout", "5%"}), "exclude");
  refused(plus(tune, {"--grid", "eta=1", "--by", "loss", "--one-se"}), "needs --cv");
  refused(plus(tune, {"--grid", "loss=logistic,hinge", "--by", "loss"}), "cannot compare");
  refused(plus(tune, {"--grid", "eta=1", "--from", "m"}), "unknown option --from");
  refused(plus(tune, {"--grid", "eta=1", "-o", "a.svm"}), "overwrite the training data");
  refused(plus({"cv", "a.svm", "--folds", "1"}, fobos), "--folds must be at least 2");
  refused({"cv", "a.svm", "--holdout", "5%"}, "unknown option --holdout");
  refused(plus({"cv"}, fobos), "data is required");
  refused({"path", "a.svm"}, "--over is required");
  const Words path{"path", "a.svm", "--solver", "fobos", "--over", "lambda"};
  refused(plus(path, {"--from", "1"}), "give --from A --to B");
  refused(plus(path, {"--from", "0", "--to", "1"}), "above 0");
  // The solver that is named by default has no step size and no penalty.
  refused({"path", "a.svm", "--over", "lambda", "--values", "1"}, "does not apply to budget");
  EXPECT_TRUE(contains(bad(1, {"tune", "none.svm", "--grid", "features=1,2"}), "none.svm"));
  EXPECT_EQ(files(), (Words{"a.svm", "b.svm"}));
}
