// What a run reports while it learns: progress and traced points, to the observer and for the
// result. It counts what happened in the current pass and the seconds of learning.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "train/guard.hpp"
#include "train/marks.hpp"
#include "train/score.hpp"

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

  // Does what counts as learning. The seconds of a run have nothing else in them.
  template <class Work>
  void timed(const Work& work) {
    const auto started = Clock::now();
    work();
    learning_ += Clock::now() - started;
  }

  const TraceMarks marks;
  Progress progress;

 private:
  using Clock = std::chrono::steady_clock;
  const LinearState& state() const { return guard_.solver().state(); }

  RunContext& run_;
  Guard& guard_;
  std::vector<TracePoint> trace_;
  Clock::duration learning_{};
  std::uint64_t densest_ = 0;
  std::uint64_t pass_start_examples_ = 0;
  std::uint64_t pass_start_updates_ = 0;
  std::uint64_t pass_start_mistakes_ = 0;
};

}  // namespace thresh
