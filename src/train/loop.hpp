// The loops of a run: over rows and over a matrix. They share what happens between two spans of
// rows or steps and at the end of a pass: reports, support checks, traces, and how a run ends.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "train/support_check.hpp"

namespace thresh {

class Loop {
 public:
  Loop(RunContext& run, Guard& guard, RunLog& log, SupportCheck& support)
      : run_(run), guard_(guard), log_(log), support_(support) {}

 protected:
  // Nobody waits longer than for so many rows or steps.
  static constexpr std::uint64_t kLongestSpan = 256;

  Solver& solver() { return guard_.solver(); }
  const LinearState& state() const { return guard_.solver().state(); }
  // How far the solver may go: to the next mark of the support, or until its steps are spent.
  Until until() const;

  // After a span that began with these limits: `due` is the number of examples at which a trace is
  // due, `ahead` are the next rows, as far as they are known. How the run ended, if it has.
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

// Shows the windows of the feeder to a RowSolver, in spans that end where something else has to be
// done. Marks, support checks and states that are saved depend on row counts alone.
class RowLoop : public Loop {
 public:
  using Loop::Loop;

  // Reads the rows and shows them until the run ends.
  Status run();
  // For those who read the rows themselves: shows a window. How the run ended, if it has.
  std::optional<Status> show(const Window& window);

  const LabelMap& labels() const { return labels_; }    // that are known by now
  std::uint64_t bad_rows() const { return bad_rows_; }  // of the first pass

 private:
  std::optional<Status> show_rows(std::span<const Row> rows);
  std::optional<Status> end_row_pass(std::uint64_t pass);
  std::size_t span_length(std::size_t rows) const;

  LabelMap labels_ = run_.setup.training.labels;
  std::uint64_t bad_rows_ = 0;
};

// A MatrixSolver has all rows in memory and takes its steps on its own, a few at a time. A pass is
// as many steps as the solver counts for one.
class MatrixLoop : public Loop {
 public:
  using Loop::Loop;

  // The matrix of the training rows, as the solver needs it.
  std::shared_ptr<const Matrix> load();
  // Begins and takes steps until the run ends.
  Status run(std::shared_ptr<const Matrix> matrix);

 private:
  std::optional<Status> run_pass(std::uint64_t pass);
};

}  // namespace thresh
