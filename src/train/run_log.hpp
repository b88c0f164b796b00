// What a run reports while it learns: progress and traced points, to the observer and for the
// result. It counts what happened in the current pass and the seconds of learning.
#pragma once

#include <optional>
#include <vector>

#include "train/guard.hpp"
#include "train/marks.hpp"
#include "train/score.hpp"
#include "train/stopwatch.hpp"

namespace thresh {

// The scores of a run at its end, where they were computed elsewhere.
struct EndScores {
  std::optional<Score> train, valid;
};

class RunLog {
 public:
  RunLog(RunContext& run, Guard& guard);

  // Settles the solver and reports progress, if the observer wants it or in any case.
  void report(bool always = false);
  void trace(const EndScores& scores = {});
  TracePoint evaluate(const EndScores& scores = {});
  // The traced points of a run at its end, which is one of them if any are wanted.
  std::vector<TracePoint> end_trace(const EndScores& scores);

  void start_pass();
  std::uint64_t rows_in_pass() const { return state().examples - pass_start_examples_; }
  bool updated_in_pass() const { return state().updates > pass_start_updates_; }
  std::uint64_t densest() const { return densest_; }  // the largest support traced so far

  const TraceMarks marks;
  Stopwatch watch;
  Progress progress;

 private:
  const LinearState& state() const { return guard_.solver().state(); }

  RunContext& run_;
  Guard& guard_;
  std::vector<TracePoint> trace_;
  std::uint64_t densest_ = 0;
  std::uint64_t pass_start_examples_ = 0;
  std::uint64_t pass_start_updates_ = 0;
  std::uint64_t pass_start_mistakes_ = 0;
};

}  // namespace thresh
