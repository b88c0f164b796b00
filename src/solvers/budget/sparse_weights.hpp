// The weights of a model apart from the solver that made them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

struct SparseWeights {
  std::vector<std::uint32_t> slots;  // ascending
  std::vector<double> weights;
  double intercept = 0;
};

inline SparseWeights weights_of(const LinearState& state) {
  SparseWeights now;
  now.intercept = state.intercept;
  for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
    if (state.weights[slot] == 0) continue;
    now.slots.push_back(static_cast<std::uint32_t>(slot));
    now.weights.push_back(state.weights[slot]);
  }
  return now;
}

inline void set_weights(LinearState& state, const SparseWeights& weights) {
  for (const std::uint32_t slot : weights_of(state).slots) state.set(slot, 0);
  for (std::size_t i = 0; i < weights.slots.size(); ++i) {
    state.set(weights.slots[i], weights.weights[i]);
  }
  state.intercept = weights.intercept;
}

// The k largest weights of all these states, those of `kept` (ascending) before all others.
inline void keep_largest(std::uint64_t k, const std::vector<std::uint32_t>& kept,
                         const std::vector<LinearState*>& states) {
  struct Ranked {
    bool kept;
    double size;
    std::uint32_t slot;
    LinearState* state;
  };
  std::vector<Ranked> ranked;
  for (LinearState* state : states) {
    const SparseWeights now = weights_of(*state);
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
