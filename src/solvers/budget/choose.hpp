// Selects the best K features in a quadratic model of the loss, or in several models whose classes
// share a budget.
//
// Features enter and leave a model one at a time by a pivot (pivots.hpp). Each pivot yields the
// cost of dropping each feature inside and the gain of adding each one outside. All models are sums
// of losses over the same rows, so costs and gains of different models are comparable.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/budget/curvature.hpp"
#include "solvers/budget/groups.hpp"
#include "solvers/budget/sparse_weights.hpp"

namespace thresh {

// A model whose features are to be selected; `current` have weights now, `kept` must stay.
struct Choice {
  const Curvature* model;
  std::vector<char> current, kept;  // by candidate
  std::vector<double> signs = {};   // that weights may have, by candidate; empty: any
  std::vector<Unit> units = {};     // of candidates that enter together; empty: each for itself
};

// The K candidates of all models with the lowest sum of Q, and their weights at its minimum. A
// local search: it drops, adds and swaps single features from the current ones. `scale` is the
// weight of the added rows.
std::vector<SparseWeights> choose(std::uint64_t k, const std::vector<Choice>& choices,
                                  double scale);

}  // namespace thresh
