#include "train/recovery.hpp"

#include <utility>

namespace thresh {

bool show_averages(Solver& solver) {
  bool shown = false;
  for (Solver* leaf : leaves(solver)) shown |= leaf->show_average();
  if (shown) solver.settle();  // which only adds up
  return shown;
}

void hide_averages(Solver& solver) {
  for (Solver* leaf : leaves(solver)) leaf->hide_average();
}

bool GoodState::keep(const Solver& solver) {
  std::vector<SavedWeights> now;
  for (const Solver* leaf : leaves(solver)) {
    auto weights = leaf->finite_weights();
    if (!weights) return false;
    now.push_back(std::move(*weights));
  }
  kept_ = std::move(now);
  examples_ = solver.state().examples;
  return true;
}

void GoodState::archive(Archive& a, std::size_t leaves, std::uint64_t slots) {
  std::uint64_t count = kept_.size();
  a(count, examples_);
  a.require(count == leaves);
  kept_.resize(leaves);
  for (SavedWeights& each : kept_) each.archive(a, slots);
}

void GoodState::restore(Solver& made) const {
  const std::vector<Solver*> to = leaves(made);
  for (std::size_t i = 0; i < to.size(); ++i) {
    LinearState& state = to[i]->state();
    for (const auto& [slot, weight] : kept_[i].weights) state.weights[slot] = weight;
    state.nonzeros = kept_[i].weights.size();
    state.intercept = kept_[i].intercept;
  }
}

void GoodState::end(Solver& solver) const {
  const std::vector<Solver*> to = leaves(solver);
  for (std::size_t i = 0; i < to.size(); ++i) to[i]->end_at(kept_[i]);
  solver.settle();  // which only adds up
}

void copy_counters(const Solver& from, Solver& to) {
  const auto copy = [](const LinearState& old, LinearState& now) {
    now.t = old.t;
    now.examples = old.examples;
    now.updates = old.updates;
    now.accesses = old.accesses;
    now.mistakes = old.mistakes;
  };
  copy(from.state(), to.state());
  const auto old = leaves(from);
  const auto now = leaves(to);
  for (std::size_t i = 0; i < old.size(); ++i) copy(old[i]->state(), now[i]->state());
}

void Recovery::begin(const Solver& solver) {
  first_.keep(solver);
  good_ = first_;
}

void Recovery::save(Solver& solver) {
  constexpr std::uint64_t kWorthAWalk = 256;
  const std::uint64_t done = solver.state().accesses - accesses_at_check_;
  std::uint64_t slots = 0;
  for (const Solver* leaf : leaves(std::as_const(solver))) slots += leaf->state().weights.size();
  if (done < kWorthAWalk * slots) return;
  accesses_at_check_ = solver.state().accesses;
  solver.settle();
  if (good_.keep(solver)) went_back_ = false;
}

void Recovery::fall_back(bool to_the_start) {
  if (went_back_ || to_the_start) good_ = first_;
}

bool Recovery::halve_steps() {
  constexpr double kSmallest = 0x1p-60;
  if (step_scale_ <= kSmallest) return false;
  step_scale_ /= 2;
  went_back_ = true;
  return true;
}

}  // namespace thresh
