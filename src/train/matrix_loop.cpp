#include "train/matrix_loop.hpp"

#include <algorithm>

#include "data/feed/matrix.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Where a model to start from has weights: features that the new rows may lack.
std::vector<std::uint32_t> weighted_slots(const Solver& solver) {
  std::vector<std::uint32_t> slots;
  for (const Solver* leaf : leaves(solver)) {
    const auto& weights = leaf->state().weights;
    for (std::size_t slot = 0; slot < weights.size(); ++slot) {
      if (weights[slot] != 0) slots.push_back(static_cast<std::uint32_t>(slot));
    }
  }
  return slots;
}

}  // namespace

std::shared_ptr<const Matrix> MatrixLoop::load() {
  std::shared_ptr<const Matrix> matrix;
  log_.timed([&] {
    matrix = std::make_shared<const Matrix>(
        run_.setup.train, run_.setup.training, *run_.problem.features, weighted_slots(solver()),
        run_.entry.info.columns_only ? Matrix::Layout::columns : Matrix::Layout::rows_and_columns);
  });
  return matrix;
}

Status MatrixLoop::run(std::shared_ptr<const Matrix> matrix) {
  log_.timed([&] {
    guard_.load(std::move(matrix));
    solver().begin();
  });
  run_.warn_all(solver().warnings());
  if (solver().matrix_solver()->steps_per_pass() == 0) {
    throw Error(run_.problem.train->name() + ": no features, so nothing to learn");
  }
  if (solver().ended()) {  // it need not begin, or cannot
    const Status& end = *solver().ended();
    return end.outcome == Outcome::diverged ? guard_.end_at_once() : end;
  }
  log_.progress.expected_examples = 0;
  for (std::uint64_t pass = 1; pass <= run_.passes(); ++pass) {
    log_.progress.pass = pass;
    const std::size_t divergences = guard_.divergences().size();
    if (const auto end = run_pass(pass)) return *end;
    if (guard_.divergences().size() > divergences) pass = 0;  // it went back to the start
  }
  return passes_spent();
}

std::optional<Status> MatrixLoop::run_pass(std::uint64_t pass) {
  MatrixSolver& current = *solver().matrix_solver();
  const std::uint64_t pass_end = state().t + current.steps_per_pass();
  while (state().t < pass_end) {
    const Until limits = until();
    const std::uint64_t seen = state().examples;
    const std::uint64_t due = log_.marks.next_examples(seen);
    const std::uint64_t before = state().t;
    // A step of all rows passes the mark, of a coordinate it does not.
    std::uint64_t steps = std::min({kLongestSpan, pass_end - before, due - seen});
    // No class can see by itself that the sum of all leaves the budget.
    if (run_.options.shared_budget && support_.next() > seen) {
      steps = std::min(steps, support_.next() - seen);
    }
    log_.timed([&] { current.advance(steps, limits); });
    if (auto end = check(limits, due, {})) return end;
    if (&solver() != &current) return std::nullopt;  // it went back, and another one goes on
    if (state().t == before) break;
  }
  return end_pass(pass);
}

}  // namespace thresh
