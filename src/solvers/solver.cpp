#include "solvers/solver.hpp"

#include "cluster/slice_sums.hpp"

namespace thresh {

void Solver::archive(Archive& a) {
  a(state_, ended_, runaway_, closed_);
  const std::uint64_t slots = state_.weights.size();
  a.require(state_.nonzeros <= slots || !parts().empty());
  saved_.archive(a, slots);
  if (average_) average_->archive(a);
  if (a.reads()) ensure_slots(std::max(slots, a.slot_end()));
}

std::optional<SavedWeights> Solver::finite_weights() const {
  SavedWeights kept;
  if (!std::isfinite(state_.intercept)) return std::nullopt;
  kept.intercept = state_.intercept;
  if (state_.nonzeros == 0) return kept;
  const auto save_finite = [&](std::size_t slot) {
    const double weight = state_.weights[slot];
    if (weight != 0) kept.weights.emplace_back(static_cast<std::uint32_t>(slot), weight);
    return std::isfinite(weight);
  };
  const std::vector<std::uint32_t>* const slots = closed_ ? nullptr : weighted_slots();
  const std::size_t n = slots != nullptr ? slots->size() : state_.weights.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!save_finite(slots != nullptr ? (*slots)[i] : i)) return std::nullopt;
  }
  return kept;
}

std::uint64_t Solver::all_nonzeros() {
  SliceSums* const sums = parts().empty() ? slice_sums() : parts()[0]->slice_sums();
  return sums != nullptr ? sums->everywhere(state_.nonzeros) : state_.nonzeros;
}

// All ranks save the state, or none does.
void Solver::save() {
  auto now = finite_weights();
  std::uint64_t bad = now ? 0 : 1;
  if (slice_sums() != nullptr) bad = slice_sums()->everywhere(bad);
  if (bad == 0) saved_ = std::move(*now);
}

void Solver::save_within(std::uint64_t budget) {
  if (budget == kUnlimited || all_nonzeros() <= budget) save();
}

void Solver::go_back_within(std::uint64_t budget) {
  if (budget != kUnlimited && all_nonzeros() > budget) go_back();
}

void Solver::go_back() {
  end_at(saved_);
}

void Solver::end_at(const SavedWeights& kept) {
  WeightArray weights(state_.weights.numbers());
  weights.ensure(state_.weights.size());
  for (const auto& [slot, weight] : kept.weights) weights[slot] = weight;
  state_.weights = std::move(weights);
  state_.nonzeros = kept.weights.size();
  state_.intercept = kept.intercept;
  closed_ = true;
}

bool Solver::show_average() {
  if (!average_ || average_->steps() == 0 || closed_) return false;
  SavedWeights mean{{}, average_->intercept()};
  for (std::uint32_t slot = 0; slot < state_.weights.size(); ++slot) {
    const double weight = mean_of_steps(slot);
    if (weight != 0) mean.weights.emplace_back(slot, weight);
  }
  LinearState& hidden = hidden_.emplace();
  hidden.weights = std::exchange(state_.weights, WeightArray(state_.weights.numbers()));
  hidden.nonzeros = state_.nonzeros;
  hidden.intercept = state_.intercept;
  state_.weights.ensure(hidden.weights.size());
  end_at(mean);
  return true;
}

void Solver::hide_average() {
  if (!hidden_) return;
  const std::size_t slots = state_.weights.size();  // some may be new
  state_.weights = std::move(hidden_->weights);
  state_.weights.ensure(slots);
  state_.nonzeros = hidden_->nonzeros;
  state_.intercept = hidden_->intercept;
  hidden_.reset();
  closed_ = false;
}

// Reads the row again, because the terms of the margin are not tracked while it is summed.
void Solver::diverge(const Row& row) {
  Runaway worst{row.id, std::nullopt, state_.intercept, 1};
  double largest = std::fabs(state_.intercept);
  for (std::size_t i = 0; i < row.size && std::isfinite(largest); ++i) {
    const double weight = state_.weights[row.slots[i]];
    const double part = std::fabs(weight * row.values[i]);
    if (part <= largest) continue;  // false for a NaN
    worst = {row.id, row.slots[i], weight, row.values[i]};
    largest = part;
  }
  diverge("a margin is out of bounds", worst);
}

void Solver::diverge(const char* reason, std::optional<Runaway> at) {
  ended_ = {Outcome::diverged, reason};
  runaway_ = at;
}

}  // namespace thresh
