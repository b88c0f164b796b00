// What the selection asks of a learner, between two rows: candidates, choices, refits.

#include <algorithm>
#include <iterator>
#include <utility>

#include "solvers/budget/learner.hpp"

namespace thresh {

// The features with weights and the required ones, by feature.
std::vector<std::uint32_t> BudgetLearner::support() const {
  const std::vector<std::uint32_t> now = nonzero_slots(working());
  const std::vector<std::uint32_t> kept = required_.in_place();
  std::vector<std::uint32_t> both;
  std::set_union(now.begin(), now.end(), kept.begin(), kept.end(), std::back_inserter(both));
  if (!common_) sort_by_feature(both, features_);
  return both;
}

void BudgetLearner::allow_groups(std::uint64_t features) {
  const std::size_t slots = state_.weights.size();
  const auto score = [&](std::uint32_t slot) { return std::as_const(state_.weights).at(slot)[1]; };
  path_.allow_only(best_groups(*groups_, slots, features, required_.slots(), score), state_);
}

void BudgetLearner::keep_largest_groups(std::uint64_t features) {
  const std::size_t slots = state_.weights.size();
  const auto score = [&](std::uint32_t slot) { return std::as_const(state_.weights)[slot]; };
  const std::vector<char> kept = best_groups(*groups_, slots, features, required_.slots(), score);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (kept[slot] == 0 && score(slot) != 0) state_.set(slot, 0);
  }
}

void BudgetLearner::begin_curvature() {
  is_narrow_ = false;
  if (mode_ == Mode::threshold) {
    give_places();
    curvature_ = std::make_unique<Curvature>(support(), units_.value, learns_intercept_, few_rows_);
    mode_ = Mode::curvature;
    state_.weights.keep_weights_only();
  }
  curvature_->clear();
}

Choice BudgetLearner::choice() const {
  Choice choice{curvature_.get(), {}, {}, signs_at(curvature_->candidates()), {}};
  if (groups_) choice.units = units_among(curvature_->candidates(), *groups_);
  for (const std::uint32_t slot : curvature_->candidates()) {
    choice.current.push_back(working().weights[slot] != 0 ? 1 : 0);
    choice.kept.push_back(required_.has(slot) ? 1 : 0);
  }
  return choice;
}

std::vector<double> BudgetLearner::signs_at(const std::vector<std::uint32_t>& slots) const {
  if (!signs_.restrict()) return {};
  std::vector<double> signs;
  for (const std::uint32_t slot : slots) signs.push_back(signs_.of(slot));
  return signs;
}

void BudgetLearner::take(const SparseWeights& chosen) {
  const SparseWeights before = weights_at(required_.in_place(), state_);
  set_weights(working(), chosen);
  publish();
  // Required features that no row of the stage had retain their weights.
  for (std::size_t i = 0; i < before.slots.size(); ++i) {
    const std::uint32_t slot = before.slots[i];
    if (std::as_const(state_.weights)[slot] == 0) state_.set(slot, before.weights[i]);
  }
}

void BudgetLearner::begin_refit() {
  is_narrow_ = false;
  give_places();
  const std::vector<std::uint32_t> slots = support();
  refits_.push_back({Refit(weights_at(slots, working()), units_, betas_, learns_intercept_,
                           compensated_, few_rows_, signs_at(slots))});
}

void BudgetLearner::age_refits() {
  is_narrow_ = false;
  for (AgingRefit& each : refits_) {
    if (++each.age == kRefitStages - 1) each.refit.begin_mean();
  }
  while (refits_beside() > 0 && refits_.front().age == kRefitStages) {
    for (std::size_t b = 0; b < betas_.size(); ++b) {
      finished_.push_back(refits_.front().refit.weights(b));
    }
    refits_.pop_front();
  }
}

void BudgetLearner::end_selection() {
  is_narrow_ = false;
  mode_ = Mode::refit;
  curvature_.reset();
  state_.weights.keep_weights_only();
}

}  // namespace thresh
