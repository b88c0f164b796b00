// The weights of a model, separate from the solver that made them.
//
// They are ordered by feature number, so that sums and ties are the same in every run: slots of
// huge numbers are assigned in order of occurrence, by several threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/solver.hpp"
#include "sparse/feature_map.hpp"

namespace thresh {

struct SparseWeights {
  std::vector<std::uint32_t> slots;  // by feature
  std::vector<double> weights;
  double intercept = 0;

  // Its slots are below `end`.
  void archive(Archive& a, std::uint64_t end) {
    a.below(a.reads() ? end : kUnlimited, slots);
    a(weights, intercept);
    a.require(weights.size() == slots.size());
  }
};

// Sorts ascending slots by feature. Without a map slots are features.
inline void sort_by_feature(std::vector<std::uint32_t>& slots, const FeatureMap* features) {
  if (features == nullptr || slots.empty() || slots.back() < features->identity_end()) return;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> numbered;
  numbered.reserve(slots.size());
  for (const std::uint32_t slot : slots) numbered.emplace_back(features->id(slot), slot);
  std::sort(numbered.begin(), numbered.end());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = numbered[i].second;
}

// Ascending.
inline std::vector<std::uint32_t> nonzero_slots(const LinearState& state) {
  std::vector<std::uint32_t> slots;
  for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
    if (state.weights[slot] != 0) slots.push_back(static_cast<std::uint32_t>(slot));
  }
  return slots;
}

inline SparseWeights weights_at(std::vector<std::uint32_t> slots, const LinearState& state) {
  SparseWeights now{std::move(slots), {}, state.intercept};
  for (const std::uint32_t slot : now.slots) now.weights.push_back(state.weights[slot]);
  return now;
}

inline SparseWeights weights_of(const LinearState& state, const FeatureMap* features) {
  std::vector<std::uint32_t> slots = nonzero_slots(state);
  sort_by_feature(slots, features);
  return weights_at(std::move(slots), state);
}

inline void set_weights(LinearState& state, const SparseWeights& weights) {
  for (const std::uint32_t slot : nonzero_slots(state)) state.set(slot, 0);
  for (std::size_t i = 0; i < weights.slots.size(); ++i) {
    state.set(weights.slots[i], weights.weights[i]);
  }
  state.intercept = weights.intercept;
}

// Keeps the k largest weights of all states. Those of `kept` (ascending) come first.
inline void keep_largest(std::uint64_t k, const std::vector<std::uint32_t>& kept,
                         const std::vector<LinearState*>& states, const FeatureMap* features) {
  struct Ranked {
    bool kept;
    double size;
    std::uint32_t slot;
    LinearState* state;
  };
  std::vector<Ranked> ranked;
  for (LinearState* state : states) {
    const SparseWeights now = weights_of(*state, features);
    for (std::size_t i = 0; i < now.slots.size(); ++i) {
      const bool stays = std::binary_search(kept.begin(), kept.end(), now.slots[i]);
      ranked.push_back({stays, std::fabs(now.weights[i]), now.slots[i], state});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.kept != b.kept ? a.kept : a.size > b.size;
  });
  for (std::size_t i = k; i < ranked.size(); ++i) ranked[i].state->set(ranked[i].slot, 0);
}

}  // namespace thresh
