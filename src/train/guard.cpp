// Runs that get out of control: noticed by the solver at a row, told, and taken back.

#include <fmt/format.h>

#include <cmath>

#include "data/feed/matrix.hpp"
#include "loss/loss.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/kernels.hpp"
#include "train/line_of.hpp"
#include "train/run.hpp"

namespace thresh {

void Run::warn(std::string what) {
  observer_.on_warning(what);
  warnings_.push_back(std::move(what));
}

void Run::warn_of_solver() {
  for (std::string& warning : solver_->warnings()) warn(std::move(warning));
}

void Run::note(Divergence divergence) {
  observer_.on_divergence(divergence);
  divergences_.push_back(std::move(divergence));
}

// A step along one row's gradient is safe below 2 / (curvature |x|^2): it must not overshoot the
// row's own optimum by more than it was away from it. The long rows of the first block stand for
// all; what they do not show, the guard catches.
double Run::choose_eta() {
  const double eta = options_.eta.value_or(kDefaultEta);
  const bool plain = entry_.info.plain_steps && !needs_all_rows(options_);
  if (!plain || setup_.long_rows == 0 || has_bounded_slope(*loss_of(options_))) return eta;
  const double curvature = *LossFunction(*loss_of(options_)).curvature();
  const double squares = setup_.long_rows * setup_.long_rows + (options_.intercept ? 1 : 0);
  const double limit = 2 / (curvature * squares);
  if (eta < limit || !std::isnormal(limit / 2)) return eta;
  if (options_.eta) {
    warn(
        fmt::format("--eta {:g} is too large for rows as long as {:.3g}: from {:.3g} on steps "
                    "overshoot (--normalize l2 makes all rows short)",
                    eta, setup_.long_rows, limit));
    return eta;
  }
  warn(
      fmt::format("eta is {:.3g}: the default of {:g} is too large for rows as "
                  "long as {:.3g}",
                  limit / 2, eta, setup_.long_rows));
  return limit / 2;
}

// What the solver noticed, in the user's numbers.
Divergence Run::describe_divergence() const {
  Divergence found;
  found.examples = solver_->state().examples;
  found.what = solver_->ended()->reason;
  const std::optional<Runaway>& runaway = solver_->runaway();
  found.what += advice(runaway ? runaway->slot : std::nullopt);
  if (!runaway) return found;
  found.weight = runaway->weight;
  found.value = runaway->value;
  std::string place;
  if (runaway->row) {
    found.row = *runaway->row + 1;
    if (window_ != nullptr) found.line = line_of(*window_, *setup_.train, *runaway->row);
    // Without the file's name: the same rows from a pipe give the same model file.
    if (found.line) {
      place = fmt::format("row {} (line {}): ", *found.row, *found.line);
    } else {  // a matrix knows its rows alone
      const bool all = window_ != nullptr || problem_.train->survey()->rows == setup_.training_rows;
      place = fmt::format("row {}{}: ", *found.row, all ? "" : " of those learned from");
    }
  }
  std::string weight = "the intercept";
  if (runaway->slot) {
    found.feature = problem_.features->id(*runaway->slot) + (problem_.zero_based ? 0 : 1);
    weight = fmt::format("the weight of feature {}", *found.feature);
  }
  const std::string value =
      runaway->slot && runaway->value != 0 ? fmt::format(" at a value of {:g}", found.value) : "";
  found.what =
      fmt::format("{}{} became {:g}{}: {}", place, weight, found.weight, value, found.what);
  return found;
}

// Goes back and on with half the step, or ends the run at the last good state.
std::optional<Status> Run::on_divergence() {
  Divergence divergence = describe_divergence();
  recovery_.fall_back(entry_.info.starts_anew);
  divergence.back_to = recovery_.good().examples();
  const bool goes_on = options_.on_divergence == OnDivergence::recover &&
                       entry_.info.halves_steps && recovery_.halve_steps();
  if (goes_on) {
    divergence.step = recovery_.step_scale();
    go_back();
  }
  note(divergence);
  if (goes_on) return std::nullopt;
  return diverged(divergence.what);
}

void Run::go_back() {
  std::unique_ptr<Solver> made = make_solver();
  made->ensure_slots(leaves(*solver_).front()->state().weights.size());
  copy_counters(*solver_, *made);
  recovery_.good().restore(*made);
  // The row that did it counts as seen: a pass of such rows is not empty.
  for (Solver* leaf : leaves(*made)) ++leaf->state().examples;
  if (matrix_) {
    for (Solver* leaf : leaves(*made)) leaf->state().t = 0;
    made->state().t = 0;
    dynamic_cast<MatrixSolver&>(*made).load(matrix_);
  }
  const auto old = leaves(*solver_);
  const auto now = leaves(*made);
  for (std::size_t i = 0; i < now.size(); ++i) now[i]->take_kept(*old[i]);
  solver_ = std::move(made);
  solver_->begin();
  // No features at all are within any budget, but worse than what was kept.
  if (recovery_.has_learned()) solver_->keep_within(setup_.max_nonzeros);
  room_ = 0;
}

// The last step may have overflowed without any row meeting it.
void Run::check_last_step() {
  if (end_->outcome == Outcome::diverged) return;
  const LinearState* bad = nullptr;
  for (const Solver* leaf : leaves(std::as_const(*solver_))) {
    if (!leaf->finite_weights()) bad = &leaf->state();
  }
  if (bad == nullptr) return;
  Divergence divergence;
  divergence.examples = bad->examples;
  divergence.back_to = recovery_.good().examples();
  divergence.weight = bad->intercept;
  divergence.what = "the last step: the intercept is not finite" + advice(std::nullopt);
  for (std::size_t slot = 0; slot < bad->weights.size(); ++slot) {
    if (std::isfinite(bad->weights[slot])) continue;
    divergence.weight = bad->weights[slot];
    const auto at = static_cast<std::uint32_t>(slot);
    divergence.feature = problem_.features->id(at) + (problem_.zero_based ? 0 : 1);
    divergence.what = fmt::format("the last step: the weight of feature {} became {:g}{}",
                                  *divergence.feature, divergence.weight, advice(at));
    break;
  }
  note(divergence);
  end_ = diverged(divergence.what);
}

// Smaller steps may not have been small enough, only too few: the rows decide. They are read once
// more, which no other run has to pay for.
void Run::check_recovery() {
  if (end_->outcome == Outcome::diverged || end_->outcome == Outcome::stopped) return;
  if (divergences_.empty()) return;
  if (divergences_.back().examples + 1 >= solver_->state().examples) {
    end_ = diverged(divergences_.back().what + "; nothing was learned after that");
    return;
  }
  if (problem_.train->survey() == nullptr) return;  // they came only once
  const double bound = solver_setup().largest_margin();
  bool in_bounds = true;
  for_each_window(setup_.train, setup_.training, [&](const Window& window) {
    solver_->ensure_slots(window.slot_end);
    for (const Solver* leaf : leaves(std::as_const(*solver_))) {
      const LinearState& state = leaf->state();
      for (const Row& row : window.rows) {
        const double margin = dot(state.weights.data(), row) + state.intercept;
        in_bounds = in_bounds && std::fabs(margin) <= bound;
      }
    }
  });
  if (!in_bounds) {
    end_ = diverged(divergences_.back().what + "; with smaller steps margins stay out of bounds");
  }
}

Status Run::diverged(const std::string& what) {
  recovery_.good().end(*solver_);
  const auto times = divergences_.size();
  return {Outcome::diverged,
          times == 1 ? what : fmt::format("{}, the last of {} times", what, times)};
}

}  // namespace thresh
