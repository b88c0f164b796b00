// A solver that has everything in memory takes its steps on its own, a few at a time.

#include <algorithm>

#include "data/feed/matrix.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/run.hpp"

namespace thresh {

namespace {

// Where a model to start from has weights: features that the new rows may lack.
std::vector<std::uint32_t> weighted_slots(const Solver& solver) {
  std::vector<std::uint32_t> slots;
  const auto add = [&](const LinearState& state) {
    for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
      if (state.weights[slot] != 0) slots.push_back(static_cast<std::uint32_t>(slot));
    }
  };
  add(solver.state());
  for (const auto& part : solver.parts()) add(part->state());
  return slots;
}

}  // namespace

std::shared_ptr<const Matrix> Run::load_matrix() {
  watch_.start();
  auto matrix = std::make_shared<const Matrix>(
      setup_.train, setup_.training, *problem_.features, weighted_slots(*solver_),
      wants_rows_in_memory() ? Matrix::Layout::rows_and_columns : Matrix::Layout::columns);
  watch_.stop();
  return matrix;
}

void Run::work(std::shared_ptr<const Matrix> matrix) {
  matrix_ = std::move(matrix);
  watch_.start();
  solver_->ensure_slots(matrix_->slot_end());
  matrix_solver().load(matrix_);
  solver_->begin();
  watch_.stop();
  warn_of_solver();
  end_ = let_work();
}

Status Run::let_work() {
  if (matrix_solver().steps_per_pass() == 0) {
    throw Error(problem_.train->name() + ": no features, so nothing to learn");
  }
  if (solver_->ended()) return ended_at_once();
  progress_.expected_examples = 0;
  for (std::uint64_t pass = 1; pass <= passes(); ++pass) {
    progress_.pass = pass;
    const std::size_t divergences = divergences_.size();
    if (const auto end = work_pass(pass)) return *end;
    if (divergences_.size() > divergences) pass = 0;  // it went back to the start
  }
  return passes_spent();
}

// The solver found that it need not begin, or cannot: smaller steps would change nothing.
Status Run::ended_at_once() {
  if (solver_->ended()->outcome != Outcome::diverged) return *solver_->ended();
  note(describe_divergence());
  return diverged(divergences_.back().what);
}

std::optional<Status> Run::work_pass(std::uint64_t pass) {
  constexpr std::uint64_t kPatience = 256;
  MatrixSolver& solver = matrix_solver();
  const LinearState& state = solver.state();
  const std::uint64_t pass_end = state.t + solver.steps_per_pass();
  while (state.t < pass_end) {
    const Until limits = until();
    const std::uint64_t due = marks_.next_examples(state.examples);
    const std::uint64_t before = state.t;
    // A step of all rows passes the mark, of a coordinate it does not.
    std::uint64_t steps = std::min({kPatience, pass_end - before, due - state.examples});
    // No class can see by itself that the sum of all leaves the budget.
    if (options_.shared_budget && next_look_ > state.examples) {
      steps = std::min(steps, next_look_ - state.examples);
    }
    watch_.start();
    solver.advance(steps, limits);
    watch_.stop();
    if (auto end = look(limits.nonzeros, due, {})) return end;
    if (solver_.get() != &solver) return std::nullopt;  // it went back, and another one goes on
    if (state.t == before) break;
  }
  return end_pass(pass);
}

}  // namespace thresh
