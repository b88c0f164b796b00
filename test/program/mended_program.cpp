// What a review found broken, so that it stays mended.
#include <cmath>

#include "tools/program.hpp"

namespace {

class CliMended : public CliTest {
 protected:
  void SetUp() override {
    dir.write("s.svm",
              "1 1:1 3:0.5\n-1 2:1\n1 1:0.5 4:1\n-1 2:0.5 5:1\n1 1:1 6:0.3\n-1 2:1 3:0.2\n");
    dir.write("m.svm",
              "0 1:1 3:0.5\n1 2:1\n2 1:0.5 4:1\n0 1:0.5 5:1\n1 2:1 6:0.3\n2 3:0.2 4:1\n0 1:2\n");
  }
  std::string model(Words arguments) {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"-q", "-o", "x"});
    silent(arguments);
    return ScratchDir::slurp(dir.file("x"));
  }
};

TEST_F(CliMended, LookingAtASoftmaxRunDoesNotChangeIt) {
  for (const std::string solver : {"fobos", "truncated-gradient"}) {
    const Words run = {"m.svm", "--solver", solver,         "--lambda", "0.05",
                       "--eta", "1",        "--multiclass", "softmax"};
    Words watched = run;
    watched.insert(watched.end(), {"--trace", "t", "--trace-at", "1"});
    EXPECT_EQ(model(run), model(watched)) << solver;
  }
}

TEST_F(CliMended, ALossThatOverflowsFromTheStartIsADivergence) {
  dir.write("r.svm", "1e200 1:1\n-1e200 2:1\n");
  EXPECT_TRUE(contains(
      bad_after_warnings(1, {"train", "r.svm", "--task", "regression", "--solver", "subgradient"}),
      "training diverged"));
}

TEST_F(CliMended, StepsEndWhereThereIsNothingToLearnFrom) {
  dir.write("e.svm", "1\n-1\n1\n");
  EXPECT_TRUE(
      contains(bad(1, {"train", "e.svm", "--solver", "cd", "--no-intercept", "--steps", "5"}),
               "e.svm: no features"));
  dir.write("weights", "0\n0\n0\n0\n0\n0\n");
  bad(1, {"train", "s.svm", "--solver", "fobos", "--steps", "5", "--weights", "weights"});
}

TEST_F(CliMended, APipeServesSolversThatWantAllRows) {
  for (const std::string solver : {"cd", "subgradient", "grades"}) {
    Words run = {"train", "-",  "--passes", "1",    "--order",  "sequential", "--positive",
                 "1",     "-q", "-o",       "p.th", "--solver", solver};
    if (solver == "grades") run.insert(run.end(), {"--features", "2"});
    const Result piped = thresh_reading(ScratchDir::slurp(dir.file("s.svm")), run);
    EXPECT_EQ(piped.exit, 0) << piped;
    run[1] = "s.svm";
    run[run.size() - (solver == "grades" ? 5 : 3)] = "f.th";
    good(run);
    EXPECT_EQ(ScratchDir::slurp(dir.file("p.th")), ScratchDir::slurp(dir.file("f.th"))) << solver;
  }
}

TEST_F(CliMended, FeaturesOfAStartThatTheRowsLackCountToo) {
  dir.write("w.svm", "1 10:1 11:2\n-1 12:1 13:1\n");
  good({"train", "w.svm", "--solver", "fobos", "--eta", "1", "-q", "-o", "w.th"});
  for (const std::string solver : {"projected-gradient", "projected-sgd"}) {
    good({"train", "s.svm", "--solver", solver, "--radius", "0.1", "--from", "w.th", "-q", "-o",
          "x"});
    double norm = 0;
    for (const Weight& w : weights("x")) norm += std::fabs(w.value);
    EXPECT_LE(norm, 0.1 + 1e-12) << solver;
  }
  good({"train", "s.svm", "--solver", "grades", "--features", "4", "--from", "w.th", "-q", "-o",
        "x"});
  EXPECT_LE(weights("x").size(), 4u);
}

TEST_F(CliMended, WhatMeansNothingIsRefused) {
  EXPECT_TRUE(contains(bad(2, {"train", "s.svm", "--solver", "cd", "--eta", "1"}), "--eta"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "s.svm", "--solver", "l0-sgd", "--features", "2", "--lambda", "1"}),
               "--lambda"));
  bad(2, {"train", "s.svm", "--solver", "truncated-gradient", "--every", "0"});
  bad(2, {"train", "s.svm", "--solver", "truncated-gradient", "--ceiling", "-1"});
  bad(2, {"train", "s.svm", "--solver", "fobos", "--multiclass", "softmax"});
  bad(2, {"train", "s.svm", "--solver", "fobos", "--task", "regression", "--calibrate", "--holdout",
          "50%"});
  EXPECT_TRUE(contains(bad(2, {"train", "s.svm", "-o", "s.svm"}), "overwrite the training data"));
  dir.write("labels", "0\n1\n77\n0\n0\n0\n");
  EXPECT_TRUE(contains(bad(1, {"train", "m.svm", "--solver", "projected-sgd", "--radius", "1",
                               "--non-negative", "--feature-labels", "labels"}),
                       "labels:3: label 77"));
}

TEST_F(CliMended, ValuesWhoseSquaresOverflowAreADivergence) {
  dir.write("h.svm", "1 1:1e300\n-1 2:1e300\n");
  for (const std::string solver : {"cd", "scd", "gcd"}) {
    EXPECT_TRUE(contains(bad(1, {"train", "h.svm", "--solver", solver}), "diverged")) << solver;
  }
  for (const std::string solver : {"projected-gradient", "projected-sgd"}) {
    EXPECT_TRUE(contains(
        bad_after_warnings(1, {"train", "h.svm", "--solver", solver, "--radius", "1"}), "diverged"))
        << solver;
  }
}

}  // namespace
