// The loops of a run: over rows and over a matrix. They share the work between two spans of rows or
// steps and at the end of a pass: reports, support checks, traces, and the end of a run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "train/support_check.hpp"

namespace thresh {

// Where the state of a run may be saved, and what it continues from.
struct Pauses {
  // Called when the run has begun.
  std::function<void()> restore = [] {};
  // Called between windows or steps; the rows from `next` on are not shown yet.
  std::function<void(const RowPlace& next)> save = [](const RowPlace&) {};
};

class Loop {
 public:
  Loop(RunContext& run, Guard& guard, RunLog& log, SupportCheck& support)
      : run_(run), guard_(guard), log_(log), support_(support) {}

 protected:
  // The most rows or steps between two checks.
  static constexpr std::uint64_t kLongestSpan = 256;

  Solver& solver() { return guard_.solver(); }
  const LinearState& state() const { return guard_.solver().state(); }
  // How far the solver may go: to the next mark of the support, or until its steps are spent.
  Until until() const;

  // Call it after a span that began with these limits. `due` is the number of examples at which a
  // trace is due, `ahead` are the next rows, as far as known. Returns the status if the run ended.
  std::optional<Status> check(const Until& limits, std::uint64_t due, std::span<const Row> ahead);
  std::optional<Status> end_pass(std::uint64_t pass);
  Status passes_spent() const;

  RunContext& run_;
  Guard& guard_;
  RunLog& log_;
  SupportCheck& support_;

 private:
  std::optional<Status> ended();
  std::optional<Status> steps_spent() const;
  static Status budget_passed();
};

// Shows the windows of the feeder to a RowSolver, in spans that end at the next mark. Marks,
// support checks and saved states depend only on row counts.
class RowLoop : public Loop {
 public:
  using Loop::Loop;

  // Reads the rows from a place on and shows them until the run ends.
  Status run(const RowPlace& from, const Pauses& pauses);
  // For callers that read the rows themselves: shows a window. Returns the status if the run ended.
  std::optional<Status> show(const Window& window);

  void archive(Archive& a) { a(bad_rows_); }

  // Called after the last row of the last pass, before the solver is told.
  std::function<void()> before_last_end = [] {};

  const LabelMap& labels() const { return labels_; }    // known so far
  std::uint64_t bad_rows() const { return bad_rows_; }  // of the first pass

 private:
  std::optional<Status> show_rows(std::span<const Row> rows);
  std::optional<Status> end_row_pass(std::uint64_t pass);
  std::size_t span_length(std::size_t rows) const;

  LabelMap labels_ = run_.setup.training.labels;
  std::uint64_t bad_rows_ = 0;
};

// Lets a MatrixSolver, which has all rows in memory, take a few steps at a time. The solver defines
// the number of steps per pass.
class MatrixLoop : public Loop {
 public:
  using Loop::Loop;

  // The matrix of the training rows, as the solver needs it.
  std::shared_ptr<const Matrix> load();
  // Begins and takes steps until the run ends. `end` is set if it reads the state of a run that has
  // ended.
  Status run(std::shared_ptr<const Matrix> matrix, const Pauses& pauses,
             const std::optional<Status>& end);

  void archive(Archive& a) { a(pass_, pass_end_); }

 private:
  std::optional<Status> run_pass(const Pauses& pauses);

  std::uint64_t pass_ = 0;      // 0: before the first
  std::uint64_t pass_end_ = 0;  // its last step; 0: it begins
};

}  // namespace thresh
