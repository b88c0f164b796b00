#include "train/guard.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cluster/slice_sums.hpp"
#include "data/feed/matrix.hpp"
#include "train/advice.hpp"
#include "train/run_log.hpp"
#include "train/shared_run.hpp"

namespace thresh {

Guard::Guard(RunContext& run)
    : run_(run), eta_(choose_eta(run)), solver_(make_solver(run, {eta_, 1})) {}

std::string Guard::summary() const {
  if (divergences_.empty()) return "";
  return fmt::format(
      "; it diverged {} and went on with smaller steps, now {:.3g} of "
      "what they were",
      divergences_.size() == 1 ? "once" : fmt::format("{} times", divergences_.size()),
      recovery_.step_scale());
}

void Guard::load(std::shared_ptr<const Matrix> matrix) {
  matrix_ = std::move(matrix);
  solver_->ensure_slots(matrix_->slot_end());
  solver_->matrix_solver()->load(matrix_);
}

void Guard::note(Divergence divergence) {
  run_.observer.on_divergence(divergence);
  divergences_.push_back(std::move(divergence));
}

Divergence Guard::divergence_at(std::uint64_t examples, std::string what) const {
  Divergence divergence;
  divergence.examples = examples;
  divergence.back_to = recovery_.good().examples();
  divergence.what = std::move(what);
  return divergence;
}

// What the solver noticed, in the user's numbers.
Divergence Guard::describe() const {
  Divergence found;
  found.examples = solver_->state().examples;
  found.what = solver_->ended()->reason;
  const std::optional<Runaway>& runaway = solver_->runaway();
  if (!runaway) {
    found.what += advice(run_, std::nullopt);
    return found;
  }
  const WorstTerm worst = worst_term(*runaway, *run_.problem.features);
  // With slices advice does not depend on the slot, which may be another rank's.
  found.what += advice(run_, worst.id ? std::optional(runaway->slot.value_or(0)) : std::nullopt);
  found.weight = worst.weight;
  found.value = worst.value;
  std::string place;
  if (runaway->row) {
    found.row = *runaway->row + 1;
    if (window_ != nullptr) found.line = line_of(*window_, *run_.setup.train, *runaway->row);
    // Without the file's name: the same rows from a pipe give the same model file.
    if (found.line) {
      place = fmt::format("row {} (line {}): ", *found.row, *found.line);
    } else {  // a matrix knows its rows alone
      const bool all =
          window_ != nullptr || run_.problem.train->survey()->rows == run_.setup.training_rows;
      place = fmt::format("row {}{}: ", *found.row, all ? "" : " of those learned from");
    }
  }
  std::string weight = "the intercept";
  if (worst.id) {
    found.feature = *worst.id + (run_.problem.zero_based ? 0 : 1);
    weight = fmt::format("the weight of feature {}", *found.feature);
  }
  const std::string value =
      worst.id && worst.value != 0 ? fmt::format(" at a value of {:g}", found.value) : "";
  found.what =
      fmt::format("{}{} became {:g}{}: {}", place, weight, found.weight, value, found.what);
  return found;
}

std::optional<Status> Guard::on_divergence() {
  Divergence divergence = describe();
  recovery_.fall_back(run_.entry.info.starts_anew);
  divergence.back_to = recovery_.good().examples();
  const bool goes_on = run_.options.on_divergence == OnDivergence::recover &&
                       run_.entry.info.halves_steps && recovery_.halve_steps();
  if (!goes_on) return end_with(std::move(divergence));
  divergence.step = recovery_.step_scale();
  go_back();
  note(std::move(divergence));
  return std::nullopt;
}

void Guard::archive(Archive& a) {
  recovery_.archive_scale(a);
  // After a divergence another solver goes on, with smaller steps.
  if (a.reads() && recovery_.step_scale() != 1) make_again();
  a(*solver_, divergences_);
  const auto now = leaves(*solver_);
  recovery_.archive(a, now.size(), now.front()->state().weights.size());
}

void Guard::make_again() {
  std::unique_ptr<Solver> made = make_solver(run_, {eta_, recovery_.step_scale()});
  made->ensure_slots(leaves(*solver_).front()->state().weights.size());
  if (matrix_) made->matrix_solver()->load(matrix_);
  solver_ = std::move(made);
  solver_->begin();
}

void Guard::go_back() {
  std::unique_ptr<Solver> made = make_solver(run_, {eta_, recovery_.step_scale()});
  made->ensure_slots(leaves(*solver_).front()->state().weights.size());
  copy_counters(*solver_, *made);
  recovery_.good().restore(*made);
  // The row that did it counts as seen: a pass of such rows is not empty.
  for (Solver* leaf : leaves(*made)) ++leaf->state().examples;
  if (matrix_) {
    for (Solver* leaf : leaves(*made)) leaf->state().t = 0;
    made->state().t = 0;
    made->matrix_solver()->load(matrix_);
  }
  const auto old = leaves(*solver_);
  const auto now = leaves(*made);
  for (std::size_t i = 0; i < now.size(); ++i) now[i]->take_saved(*old[i]);
  solver_ = std::move(made);
  solver_->begin();
  // No features at all are within any budget, but worse than what was kept.
  if (recovery_.has_learned()) solver_->save_within(run_.setup.max_nonzeros);
}

Status Guard::end_at_record() {
  return end_with(
      divergence_at(solver_->state().examples,
                    "a model that was recorded is not finite" + advice(run_, std::nullopt)));
}

void Guard::check_end(Status& end) {
  if (end.outcome != Outcome::diverged) check_last_step(end);
  const bool complete = end.outcome != Outcome::diverged && end.outcome != Outcome::stopped;
  if (complete && !divergences_.empty()) check_recovery(end);
}

// The last step may have overflowed without any row meeting it.
void Guard::check_last_step(Status& end) {
  const LinearState* bad = nullptr;
  for (const Solver* leaf : leaves(std::as_const(*solver_))) {
    if (!leaf->finite_weights()) bad = &leaf->state();
  }
  const bool anywhere = on_all_ranks(*run_.problem.features, bad != nullptr ? 1 : 0) > 0;
  if (bad == nullptr && anywhere) bad = &solver_->state();  // another rank knows the weight
  if (bad == nullptr) return;
  const char* const what = std::isfinite(bad->intercept) ? "a weight" : "the intercept";
  Divergence divergence = divergence_at(
      bad->examples,
      fmt::format("the last step: {} is not finite{}", what, advice(run_, std::nullopt)));
  divergence.weight = bad->intercept;
  for (std::size_t i = 0; i < bad->weights.size(); ++i) {
    if (std::isfinite(bad->weights[i])) continue;
    const auto slot = static_cast<std::uint32_t>(i);
    divergence.weight = bad->weights[i];
    divergence.feature = run_.index_of(slot);
    divergence.what = fmt::format("the last step: the weight of feature {} became {:g}{}",
                                  *divergence.feature, divergence.weight, advice(run_, slot));
    break;
  }
  end = end_with(std::move(divergence));
}

// Smaller steps may not have been small enough, only too few: the rows decide. They are read once
// more, which no other run has to pay for.
void Guard::check_recovery(Status& end) {
  const Divergence& last = divergences_.back();
  if (last.examples + 1 >= solver_->state().examples) {
    end = end_at_good_state(last.what + "; nothing was learned after that");
  } else if (run_.problem.train->survey() != nullptr && !margins_in_bounds()) {
    end = end_at_good_state(last.what + "; with smaller steps margins stay out of bounds");
  }
}

bool Guard::margins_in_bounds() {
  const double bound = solver_setup(run_, {eta_, recovery_.step_scale()}).largest_margin();
  bool in_bounds = true;
  std::vector<double> margins;
  for_each_window(run_.setup.train, run_.setup.training, [&](const Window& window) {
    solver_->ensure_slots(window.slot_end);
    margins.clear();
    for (Solver* leaf : leaves(*solver_)) add_margins(*leaf, window.rows, margins);
    for (const double margin : margins) in_bounds = in_bounds && std::fabs(margin) <= bound;
  });
  return in_bounds;
}

Status Guard::end_with(Divergence divergence) {
  note(std::move(divergence));
  return end_at_good_state(divergences_.back().what);
}

Status Guard::end_at_good_state(const std::string& what) {
  recovery_.good().end(*solver_);
  const auto times = divergences_.size();
  return {Outcome::diverged,
          times == 1 ? what : fmt::format("{}, the last of {} times", what, times)};
}

}  // namespace thresh
