// Reports progress and trace points of a run, to the observer and for the result. Counts the events
// of the current pass and the seconds of learning.
#pragma once

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "train/guard.hpp"
#include "train/result_archive.hpp"

namespace thresh {

inline constexpr double kTraceDensities[] = {
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1};

// When the next line of a trace is due.
class TraceMarks {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  TraceMarks(std::optional<TraceAt> at, std::uint64_t dimension) : at_(at), dimension_(dimension) {}

  bool wanted() const { return at_.has_value(); }
  bool at_densities() const { return at_ && at_->kind == TraceAt::Kind::densities; }
  bool at_pass_ends() const { return at_ && at_->kind == TraceAt::Kind::passes; }

  // The example count after which a line is due.
  std::uint64_t next_examples(std::uint64_t examples) const {
    if (!at_ || at_->kind != TraceAt::Kind::examples) return kNever;
    return (examples / at_->every + 1) * at_->every;
  }

  // The support at which a line is due, given the largest so far.
  std::uint64_t next_nonzeros(std::uint64_t nonzeros) const {
    if (!at_ || at_->kind != TraceAt::Kind::densities) return kNever;
    for (const double density : kTraceDensities) {
      const auto mark =
          static_cast<std::uint64_t>(std::ceil(density * static_cast<double>(dimension_) - 1e-9));
      if (mark > nonzeros) return mark;
    }
    return kNever;
  }

 private:
  std::optional<TraceAt> at_;
  std::uint64_t dimension_;
};

// How good the current weights are on some rows.
struct Score {
  double loss = 0;      // mean by weight, of the solver's traced objective
  double error = 0;     // see ErrorKind; by weight
  double weight = 0;    // 0: there were no rows
  double error_se = 0;  // the standard error of `error`
  std::uint64_t rows = 0;
  std::shared_ptr<const RowScores> by_row = nullptr;  // if wanted
};

// Appends the margins of the rows, by the weights as they are: one per row.
void add_margins(Solver& solver, std::span<const Row> rows, std::vector<double>& margins);

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view,
            bool by_row = false);

// The same for several solvers. Each row is read once.
std::vector<Score> score_all(std::span<Solver* const> solvers,
                             const std::shared_ptr<RowSource>& source, const RowView& view,
                             bool by_row = false);

// The scores at the end of a run, if they were computed elsewhere.
struct EndScores {
  std::optional<Score> train, valid;
};

class RunLog {
 public:
  RunLog(RunContext& run, Guard& guard);

  // Settles the solver and reports progress, if the observer wants it or `always` is set.
  void report(bool always = false);
  void trace(const EndScores& scores = {});
  // Without scores once Options::stop is true.
  TracePoint evaluate(const EndScores& scores = {});
  // All trace points, including one for the end of the run; empty without Options::trace.
  std::vector<TracePoint> end_trace(const EndScores& scores);

  void start_pass();
  std::uint64_t rows_in_pass() const { return state().examples - pass_start_examples_; }
  bool updated_in_pass() const { return state().updates > pass_start_updates_; }
  std::uint64_t densest() const { return densest_; }  // the largest support traced so far
  // The non-zeros of all ranks.
  std::uint64_t count_nonzeros() const;

  // What a run that goes on with new rows continues: it shows them as more rows of the same pass.
  void archive_pass(Archive& a);
  // Tells the observer of trace points that it reads.
  void archive(Archive& a);

  // Calls work and adds its time to the seconds of learning.
  template <class Work>
  void timed(const Work& work) {
    const auto started = Clock::now();
    work();
    learning_ += Clock::now() - started;
  }

  const TraceMarks marks;
  Progress progress;

 private:
  std::optional<Score> score_on(const std::shared_ptr<RowSource>& rows, RowView view, bool by_row);
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
