// Looks at a support between runs of rows or steps: whether it is still within the budget, and
// whether a trace is due.

#include <fmt/format.h>

#include <algorithm>

#include "train/run.hpp"

namespace thresh {
namespace {

// Of the next so many rows; unlimited if not all of them are here.
std::uint64_t entries_of(std::span<const Row> ahead, std::uint64_t rows) {
  if (ahead.size() < rows) return kUnlimited;
  std::uint64_t entries = 0;
  for (const Row& row : ahead.first(rows)) entries += row.size;
  return entries;
}

}  // namespace

// How far the solver may go before someone looks at its support or its steps are spent.
Until Run::until() const {
  const LinearState& state = solver_->state();
  Until limits;
  if (!looks_) limits.nonzeros = marks_.next_nonzeros(std::max(densest_, state.nonzeros));
  if (options_.steps) limits.steps = *options_.steps;
  return limits;
}

// Between runs: `mark` is the support and `due` the number of examples at which a trace is due;
// the rows ahead are the next ones, as far as they are known.
std::optional<Status> Run::look(std::uint64_t mark, std::uint64_t due, std::span<const Row> ahead) {
  const LinearState& state = solver_->state();
  report();
  if (solver_->ended()) return ended();
  std::uint64_t nonzeros = state.nonzeros;
  if (looks_ && state.examples >= next_look_) {
    // After each of the first 100 rows of a pass and then after every hundredth part more: at least
    // 100 times a pass, and the same for a pipe, whose rows nobody has counted.
    const std::uint64_t in_pass = state.examples - pass_start_examples_;
    const std::uint64_t rows = std::max<std::uint64_t>(1, in_pass / 100);
    next_look_ = state.examples + rows;
    // A look that cannot be the last one within the budget or before the mark may be left out.
    const std::uint64_t coming = entries_of(ahead, rows);
    if (coming > room_) {
      mark = marks_.next_nonzeros(densest_);
      nonzeros = look_at_support(mark);
    }
    room_ -= std::min(room_, coming);
  }
  if (nonzeros >= mark || state.examples >= due) trace();
  if (options_.steps && state.t >= *options_.steps) {
    return Status{Outcome::steps_spent, fmt::format("--steps {}", *options_.steps)};
  }
  if (options_.stop != nullptr && *options_.stop) return Status{Outcome::stopped, "interrupted"};
  return std::nullopt;
}

// The support of the settled weights, which are kept if they are within the budget.
std::uint64_t Run::look_at_support(std::uint64_t mark) {
  const std::uint64_t budget = setup_.max_nonzeros;
  const auto counted = solver_->settled_nonzeros();
  if (!counted || *counted <= budget || *counted >= mark) {
    solver_->settle();
    solver_->keep_within(budget);
  }
  const std::uint64_t nonzeros = counted.value_or(solver_->state().nonzeros);
  const std::uint64_t most = std::min(budget, mark - 1);
  room_ = solver_->grows_by_entries() && nonzeros < most ? most - nonzeros : 0;
  return nonzeros;
}

}  // namespace thresh
