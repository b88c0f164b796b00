#include "train/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/feed/matrix.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// A state is saved after every so many rows of a pass, and at its end: where windows end depends on
// the source and on the number of cores, and the model must not.
constexpr std::uint64_t kSaveRows = 1024;

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

Until Loop::until() const {
  return {support_.next_mark(), run_.last_step().value_or(kUnlimited)};
}

std::optional<Status> Loop::check(const Until& limits, std::uint64_t due,
                                  std::span<const Row> ahead) {
  log_.report();
  if (solver().ended()) return ended();
  const bool at_mark = support_.reaches(limits.nonzeros, ahead);
  if (support_.ends_run()) return budget_passed();
  if (at_mark || state().examples >= due) log_.trace();
  if (auto end = steps_spent()) return end;
  const std::atomic<bool>* stop = run_.options.stop;
  if (stop != nullptr && *stop) return Status{Outcome::stopped, "interrupted"};
  return std::nullopt;
}

std::optional<Status> Loop::end_pass(std::uint64_t pass) {
  if (solver().ended()) {
    if (auto end = ended()) return end;
  }
  if (log_.marks.at_pass_ends() && pass < run_.options.passes) {
    log_.report(true);
    log_.trace();
  }
  if (support_.above_at_end_of_pass()) return budget_passed();
  // Draws with replacement miss many rows of a pass.
  const bool all_shown = run_.options.order != Order::replacement;
  if (all_shown && solver().done_without_update() && !log_.updated_in_pass()) {
    return Status{Outcome::converged, fmt::format("pass {} made no update", pass)};
  }
  // The end of a pass may have been a step: of a short batch, or of all rows.
  if (auto end = steps_spent()) return end;
  log_.start_pass();
  return std::nullopt;
}

// The solver ended the training; after a divergence it may have to go on.
std::optional<Status> Loop::ended() {
  if (solver().ended()->outcome != Outcome::diverged) return solver().ended();
  support_.forget();
  return guard_.on_divergence();
}

std::optional<Status> Loop::steps_spent() const {
  const std::optional<std::uint64_t> steps = run_.last_step();
  if (!steps || state().t < *steps) return std::nullopt;
  if (run_.drawn_step > 0) {
    return Status{Outcome::steps_spent,
                  fmt::format("--iterate random: step {} of {}", *steps, run_.all_steps)};
  }
  return Status{Outcome::steps_spent, fmt::format("--steps {}", *steps)};
}

Status Loop::budget_passed() {
  return {Outcome::budget_reached, "the support has passed the feature budget"};
}

Status Loop::passes_spent() const {
  return {Outcome::passes_spent, fmt::format("--passes {}", run_.options.passes)};
}

Status RowLoop::run(const RowPlace& from, const Pauses& pauses) {
  constexpr std::size_t kPieceOnRanks = 256;
  Feeder feeder(run_.setup.train, run_.setup.training,
                {.order = run_.options.order,
                 .seed = run_.options.seed,
                 .passes = run_.passes(),
                 .memory = run_.options.memory,
                 .stop = run_.options.stop,
                 .piece_rows = run_.problem.features->share() ? kPieceOnRanks : 0,
                 .from = from});
  for (Window window;;) {
    bool more = true;
    log_.timed([&] { more = feeder.next(window); });
    // The last pass ends a run; only a forged state can be beyond it.
    if (!more) throw Error("the checkpoint is damaged: it is beyond the last pass");
    if (auto end = show(window)) return *end;
    pauses.save(window.next);
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
  // Spans must be the same on all ranks, but one of them alone shows progress.
  const bool alone = !run_.problem.features->share();
  for (const std::uint64_t stop : {support_.next(), alone ? run_.observer.wake_at() : 0}) {
    if (stop > seen) length = std::min(length, stop - seen);
  }
  return static_cast<std::size_t>(length);
}

std::optional<Status> RowLoop::end_row_pass(std::uint64_t pass) {
  if (log_.rows_in_pass() == 0) {  // or --steps would go on for ever
    return Status{Outcome::passes_spent, "there are no rows to learn from"};
  }
  if (pass == run_.passes()) before_last_end();
  log_.timed([&] { solver().row_solver()->end_pass(); });
  if (auto end = end_pass(pass)) return end;
  if (pass == run_.passes()) return passes_spent();
  guard_.save();
  return std::nullopt;
}

std::shared_ptr<const Matrix> MatrixLoop::load() {
  std::shared_ptr<const Matrix> matrix;
  RowView rows = run_.setup.training;
  rows.stop = run_.options.stop;  // this may take long
  log_.timed([&] {
    matrix = std::make_shared<const Matrix>(
        run_.setup.train, rows, *run_.problem.features, weighted_slots(solver()),
        run_.entry.info.columns_only ? Matrix::Layout::columns : Matrix::Layout::rows_and_columns);
  });
  return matrix;
}

Status MatrixLoop::run(std::shared_ptr<const Matrix> matrix, const Pauses& pauses,
                       const std::optional<Status>& known_end) {
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
  pauses.restore();
  if (known_end) return *known_end;
  if (pass_end_ == 0) ++pass_;  // else it continues within a pass
  for (; pass_ <= run_.passes(); ++pass_) {
    log_.progress.pass = pass_;
    const std::size_t divergences = guard_.divergences().size();
    if (const auto end = run_pass(pauses)) return *end;
    if (guard_.divergences().size() > divergences) pass_ = 0;  // it went back to the start
  }
  return passes_spent();
}

std::optional<Status> MatrixLoop::run_pass(const Pauses& pauses) {
  MatrixSolver& current = *solver().matrix_solver();
  const std::uint64_t whole_pass = state().t + current.steps_per_pass();
  if (pass_end_ == 0) pass_end_ = whole_pass;
  if (pass_end_ > whole_pass) throw Error("the checkpoint is damaged: a pass is too long");
  const std::uint64_t pass_end = std::exchange(pass_end_, 0);
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
    pass_end_ = pass_end;
    pauses.save({});
    pass_end_ = 0;
  }
  return end_pass(pass_);
}

}  // namespace thresh
