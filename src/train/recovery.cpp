#include "train/recovery.hpp"

#include <utility>

#include "cluster/slice_sums.hpp"

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

bool GoodState::keep(Solver& solver) {
  std::vector<SavedWeights> now;
  std::uint64_t bad = 0;
  SliceSums* sums = nullptr;
  for (Solver* leaf : leaves(solver)) {
    auto weights = leaf->finite_weights();
    bad += weights ? 0 : 1;
    if (weights) now.push_back(std::move(*weights));
    sums = leaf->slice_sums();
  }
  if (sums != nullptr) bad = sums->everywhere(bad);
  if (bad > 0) return false;
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

void Recovery::begin(Solver& solver) {
  first_.keep(solver);
  good_ = first_;
}

void Recovery::save(Solver& solver, bool by_examples) {
  constexpr std::uint64_t kWorthAWalk = 256;
  const LinearState& state = solver.state();
  const std::uint64_t now = by_examples ? state.examples : state.accesses;
  std::uint64_t least = checked_at_ / 4;  // of examples: some dozens of walks in a run
  if (!by_examples) {
    least = 0;
    for (const Solver* leaf : leaves(solver)) least += kWorthAWalk * leaf->state().weights.size();
  }
  if (now - checked_at_ < least) return;
  checked_at_ = now;
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
