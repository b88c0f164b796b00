// A solver that has everything in memory takes its steps on its own, a few at a time.

#include <fmt/format.h>

#include <algorithm>

#include "data/feature_map.hpp"
#include "data/matrix.hpp"
#include "train/run.hpp"

namespace thresh {

Status Run::let_work(MatrixSolver& solver) {
  watch_.start();
  auto matrix = std::make_shared<const Matrix>(setup_.train, setup_.training, *problem_.features);
  solver.ensure_slots(matrix->slot_end());
  solver.load(std::move(matrix));
  solver.begin();
  watch_.stop();
  progress_.expected_examples = 0;
  const std::uint64_t passes = options_.steps ? kUnlimited : options_.passes;
  for (std::uint64_t pass = 1; pass <= passes; ++pass) {
    progress_.pass = pass;
    if (const auto end = work_pass(solver, pass)) return *end;
  }
  return {Outcome::passes_spent, fmt::format("--passes {}", options_.passes)};
}

std::optional<Status> Run::work_pass(MatrixSolver& solver, std::uint64_t pass) {
  constexpr std::uint64_t kPatience = 256;
  const LinearState& state = solver.state();
  const std::uint64_t pass_end = state.t + solver.steps_per_pass();
  while (state.t < pass_end) {
    const Until limits = until();
    const std::uint64_t due = marks_.next_examples(state.examples);
    const std::uint64_t before = state.t;
    watch_.start();
    // A step of all rows passes the mark, of a coordinate it does not.
    solver.advance(std::min({kPatience, pass_end - before, due - state.examples}), limits);
    watch_.stop();
    if (const auto end = look(limits.nonzeros, due)) return end;
    if (solver.state().t == before) break;
  }
  return end_pass(pass);
}

}  // namespace thresh
