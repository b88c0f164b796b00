#include "train/row_loop.hpp"

#include <algorithm>

namespace thresh {
namespace {

// A state is saved after every so many rows of a pass, and at its end: where windows end depends on
// the source and on the number of cores, and the model must not.
constexpr std::uint64_t kSaveRows = 1024;

}  // namespace

Status RowLoop::run() {
  Feeder feeder(run_.setup.train, run_.setup.training,
                {.order = run_.options.order,
                 .seed = run_.options.seed,
                 .passes = run_.passes(),
                 .memory = run_.options.memory});
  for (Window window;;) {
    log_.timed([&] { feeder.next(window); });
    if (auto end = show(window)) return *end;
  }
}

std::optional<Status> RowLoop::show(const Window& window) {
  labels_ = window.labels;
  solver().ensure_slots(window.slot_end);
  log_.progress.bytes += window.source_bytes;
  log_.progress.pass = window.pass;
  for (const BlockPtr& block : window.blocks) {
    log_.progress.dimension = std::max(log_.progress.dimension, block->dimension);
    if (window.pass == 1) bad_rows_ += block->bad_rows;
  }
  guard_.show(&window);
  auto end = show_rows(window.rows);
  if (!end && window.ends_pass) end = end_row_pass(window.pass);
  guard_.show(nullptr);
  return end;
}

std::optional<Status> RowLoop::show_rows(std::span<const Row> rows) {
  while (!rows.empty()) {
    const Until limits = until();
    const std::uint64_t due = log_.marks.next_examples(state().examples);
    const std::size_t length = span_length(rows.size());
    log_.timed(
        [&] { rows = rows.subspan(solver().row_solver()->visit(rows.first(length), limits)); });
    if (auto end = check(limits, due, rows)) return end;
    if (log_.rows_in_pass() % kSaveRows == 0) guard_.save();
  }
  return std::nullopt;
}

// How many of the next rows may be visited before someone has to be asked or told.
std::size_t RowLoop::span_length(std::size_t rows) const {
  const std::uint64_t seen = state().examples;
  std::uint64_t length =
      std::min<std::uint64_t>({rows, kLongestSpan, kSaveRows - log_.rows_in_pass() % kSaveRows,
                               log_.marks.next_examples(seen) - seen});
  for (const std::uint64_t stop : {support_.next(), run_.observer.wake_at()}) {
    if (stop > seen) length = std::min(length, stop - seen);
  }
  return static_cast<std::size_t>(length);
}

std::optional<Status> RowLoop::end_row_pass(std::uint64_t pass) {
  if (log_.rows_in_pass() == 0) {  // or --steps would go on for ever
    return Status{Outcome::passes_spent, "there are no rows to learn from"};
  }
  log_.timed([&] { solver().row_solver()->end_pass(); });
  if (auto end = end_pass(pass)) return end;
  if (pass == run_.passes()) return passes_spent();
  guard_.save();
  return std::nullopt;
}

}  // namespace thresh
