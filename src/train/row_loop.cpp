// Rows flow by: passes over the feeder's windows, in runs short enough that nobody waits too long.

#include <fmt/format.h>

#include <algorithm>

#include "thresh/error.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

// A state is worth keeping after every so many rows of a pass, and at its end: where windows end
// depends on the source and on the number of cores, and the model must not.
constexpr std::uint64_t kKeepRows = 1024;

}  // namespace

void Run::show_rows() {
  Feeder feeder(setup_.train, setup_.training, {options_.order, options_.seed, passes()});
  for (Window window; !over();) {
    watch_.start();
    feeder.next(window);
    watch_.stop();
    show(window);
  }
}

void Run::show(const Window& window) {
  labels_seen_ = window.labels;
  window_ = &window;
  end_ = show_window(window);
  if (!end_ && window.ends_pass) end_ = end_row_pass(window.pass);
  if (!end_ && window.ends_pass && window.pass == passes()) end_ = passes_spent();
  if (!end_ && window.ends_pass) recovery_.look_at(*solver_);
  window_ = nullptr;
}

std::optional<Status> Run::show_window(const Window& window) {
  solver_->ensure_slots(window.slot_end);
  progress_.bytes += window.source_bytes;
  progress_.pass = window.pass;
  for (const BlockPtr& block : window.blocks) {
    progress_.dimension = std::max(progress_.dimension, block->dimension);
    if (window.pass == 1) bad_rows_ += block->bad_rows;
  }
  std::span<const Row> rows = window.rows;
  while (!rows.empty()) {
    const Until limits = until();
    const std::uint64_t due = marks_.next_examples(solver_->state().examples);
    watch_.start();
    rows = rows.subspan(row_solver().visit(rows.first(run_length(rows.size())), limits));
    watch_.stop();
    if (auto end = look(limits.nonzeros, due, rows)) return end;
    if ((solver_->state().examples - pass_start_examples_) % kKeepRows == 0)
      recovery_.look_at(*solver_);
  }
  return std::nullopt;
}

// How many of the next rows may be visited before someone has to be asked or told.
std::size_t Run::run_length(std::size_t rows) const {
  constexpr std::uint64_t kPatience = 256;
  const std::uint64_t seen = solver_->state().examples;
  std::uint64_t length = std::min<std::uint64_t>(rows, kPatience);
  length = std::min(length, marks_.next_examples(seen) - seen);
  length = std::min(length, kKeepRows - (seen - pass_start_examples_) % kKeepRows);
  if (next_look_ > seen) length = std::min(length, next_look_ - seen);
  if (observer_.wake_at() > seen) length = std::min(length, observer_.wake_at() - seen);
  return static_cast<std::size_t>(length);
}

std::optional<Status> Run::end_row_pass(std::uint64_t pass) {
  if (solver_->state().examples == pass_start_examples_) {  // or --steps would go on for ever
    return Status{Outcome::passes_spent, "there are no rows to learn from"};
  }
  watch_.start();
  row_solver().end_pass();
  watch_.stop();
  return end_pass(pass);
}

}  // namespace thresh
