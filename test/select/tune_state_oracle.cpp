// The file of trials: a search that was interrupted gives what a whole one gives.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "select/tuning.hpp"
#include "thresh/error.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::tune_state_oracle {
namespace {

void expect_same(const TuneResult& a, const TuneResult& b) {
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  EXPECT_EQ(a.chosen, b.chosen);
  for (std::size_t i = 0; i < a.candidates.size(); ++i) {
    EXPECT_EQ(a.candidates[i].candidate.settings, b.candidates[i].candidate.settings);
    EXPECT_EQ(a.candidates[i].failure, b.candidates[i].failure);
    EXPECT_EQ(a.candidates[i].rung, b.candidates[i].rung);
    EXPECT_EQ(a.candidates[i].error.mean, b.candidates[i].error.mean);
    EXPECT_EQ(a.candidates[i].error.se, b.candidates[i].error.se);
    EXPECT_EQ(a.candidates[i].loss.mean, b.candidates[i].loss.mean);
    EXPECT_EQ(a.candidates[i].nonzeros.mean, b.candidates[i].nonzeros.mean);
    for (std::size_t t = 0; t < a.candidates[i].trials.size(); ++t) {
      EXPECT_EQ(a.candidates[i].trials[t].warnings, b.candidates[i].trials[t].warnings);
    }
  }
}

TEST(TuneState, AfterAnyInterruptionTheSameComesOut) {
  const ScratchDir dir;
  const DenseProblem rows = learnable(200);
  Options base = fobos();
  base.holdout = 0.3;
  const std::vector<Candidate> candidates = candidates_of("lambda=0,0.01 eta=0.1,1,1e200", base);
  TuneOptions options;
  options.folds = 3;
  const TuneResult whole = tune(to_problem(rows), candidates, options);
  options.state_file = dir.file("trials");
  expect_same(tune(to_problem(rows), candidates, options), whole);
  const std::string all = ScratchDir::slurp(options.state_file);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1 + 6 * 3);
  for (std::size_t length = 0; length <= all.size(); length += 97) {
    dir.write("trials", all.substr(0, length));
    expect_same(tune(to_problem(rows), candidates, options), whole);
    const std::string again = ScratchDir::slurp(options.state_file);
    EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), 1 + 6 * 3) << length;
  }
}

// What is known is not tried again: a number that no run would give stays.
TEST(TuneState, KnownTrialsAreTaken) {
  const ScratchDir dir;
  TuneOptions options;
  options.state_file = dir.file("trials");
  const std::vector<Candidate> candidates = candidates_of("lambda=0,0.01", fobos());
  tune(to_problem(learnable()), candidates, options);
  std::string text = ScratchDir::slurp(options.state_file);
  const std::size_t at = text.rfind("\"error\":");
  text.replace(at, text.find(',', at) - at, "\"error\":-0.25");
  dir.write("trials", text);
  const TuneResult tuned = tune(to_problem(learnable()), candidates, options);
  EXPECT_EQ(tuned.candidates[0].error.mean, -0.25);
  // Another seed, another number of passes: other trials.
  for (Options other : {fobos(4), fobos()}) {
    if (other.passes == 3) other.seed = 9;
    for (const Judged& judged :
         tune(to_problem(learnable()), candidates_of("lambda=0,0.01", other), options).candidates) {
      EXPECT_GE(judged.error.mean, 0);
    }
  }
}

// The trials of a search, all of which are read from its file if they are of the same runs.
std::vector<double> losses_of(const TuneResult& tuned) {
  std::vector<double> losses;
  for (const Judged& judged : tuned.candidates) losses.push_back(judged.loss.mean);
  return losses;
}

TEST(TuneState, AFileThatHasChangedMakesOtherTrials) {
  const ScratchDir dir;
  Options base;
  base.solver = "l1";
  base.holdout = 0.3;
  std::string penalties;
  for (int feature = 0; feature < 30; ++feature) penalties += "1\n";
  base.solver_options["penalties"] = dir.write("penalties", penalties);
  const std::vector<Candidate> candidates = candidates_of("lambda=0.001,0.01", base);
  TuneOptions options;
  options.state_file = dir.file("trials");
  const TuneResult before = tune(to_problem(learnable()), candidates, options);
  dir.write("penalties", "50\n" + penalties);  // the first feature is one of those that matter
  const TuneResult after = tune(to_problem(learnable()), candidates, options);
  EXPECT_NE(losses_of(after), losses_of(before));
  options.state_file = "";
  expect_same(after, tune(to_problem(learnable()), candidates, options));
}

TEST(TuneState, WhatADivergenceMeansMakesOtherTrials) {
  const ScratchDir dir;
  Options base = fobos();
  base.loss = Loss::squared;
  base.schedule = Schedule::constant;
  TuneOptions options;
  options.state_file = dir.file("trials");
  const auto tuned = [&](OnDivergence what) {
    base.on_divergence = what;
    return tune(to_problem(learnable()), candidates_of("eta=1", base), options);
  };
  EXPECT_FALSE(tuned(OnDivergence::stop).chosen);  // or the test says nothing
  const TuneResult proceeds = tuned(OnDivergence::proceed);
  options.state_file = "";
  expect_same(proceeds, tuned(OnDivergence::proceed));
  EXPECT_NE(proceeds.candidates[0].failure, tuned(OnDivergence::stop).candidates[0].failure);
}

TEST(TuneState, WarningsAreKept) {
  const ScratchDir dir;
  DenseProblem rows = learnable(200);
  for (double& value : rows.x[7]) value *= 1e9;  // far too long
  Options base;
  base.solver = "budget";
  base.holdout = 0.3;
  const std::vector<Candidate> candidates = candidates_of("features=2,5", base);
  TuneOptions options;
  options.state_file = dir.file("trials");
  const TuneResult whole = tune(to_problem(rows), candidates, options);
  ASSERT_EQ(whole.candidates[0].trials[0].warnings.size(), 1U);
  expect_same(tune(to_problem(rows), candidates, options), whole);
}

TEST(TuneState, AStateOfAnotherProblemIsRefused) {
  const ScratchDir dir;
  TuneOptions options;
  options.state_file = dir.file("trials");
  const std::vector<Candidate> candidates = candidates_of("lambda=0,0.01", fobos());
  tune(to_problem(learnable()), candidates, options);
  const std::string before = ScratchDir::slurp(options.state_file);
  const std::string other =
      error_of([&] { tune(to_problem(learnable(601)), candidates, options); });
  EXPECT_NE(other.find("trials are from other data"), std::string::npos) << other;
  EXPECT_EQ(ScratchDir::slurp(options.state_file), before);
  for (const char* text : {"something else", "something\nelse\n", "{}\n"}) {
    dir.write("trials", text);
    EXPECT_NE(error_of([&] {
                tune(to_problem(learnable()), candidates, options);
              }).find("not a file of trials"),
              std::string::npos);
    EXPECT_EQ(ScratchDir::slurp(options.state_file), text);
  }
  dir.write("trials", before + "garbage\n");
  EXPECT_EQ(error_of([&] { tune(to_problem(learnable()), candidates, options); }),
            options.state_file + ":4: not a trial");
}

TEST(TuneState, AStopEndsTheSearch) {
  std::atomic<bool> stop = true;
  Options base = fobos();
  base.stop = &stop;
  EXPECT_THROW(tune(to_problem(learnable()), candidates_of("lambda=0,0.01", base), {}),
               Interrupted);
}

}  // namespace
}  // namespace thresh::tune_state_oracle
