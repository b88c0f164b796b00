// The file of trials: a search that was interrupted gives what a whole one gives.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "data/bytes.hpp"
#include "error_of.hpp"
#include "oracle/tuning.hpp"
#include "scratch.hpp"
#include "thresh/error.hpp"

namespace thresh {
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

TEST(TuneState, AStateOfAnotherProblemIsRefused) {
  const ScratchDir dir;
  TuneOptions options;
  options.state_file = dir.file("trials");
  const std::vector<Candidate> candidates = candidates_of("lambda=0,0.01", fobos());
  tune(to_problem(learnable()), candidates, options);
  const std::string before = ScratchDir::slurp(options.state_file);
  const std::string other =
      error_of([&] { tune(to_problem(learnable(601)), candidates, options); });
  EXPECT_NE(other.find("trials on other data"), std::string::npos) << other;
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
}  // namespace thresh
