// The best K features in a quadratic model of the loss; or in several, of the classes that share a
// budget.
//
// Features enter and leave a model one at a time by a pivot (pivots.hpp), after which it is known
// what each of those inside would cost to lose, and each of those outside would gain. All models
// are sums of losses over the same rows, so these are compared between models as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/budget/curvature.hpp"
#include "solvers/budget/sparse_weights.hpp"

namespace thresh {

// A model whose features are to be chosen: those that have weights now, and those that must stay
// whatever they cost.
struct Choice {
  const Curvature* model;
  std::vector<char> current, kept;  // by candidate
};

// The K candidates of all models with which the sum of their Q is lowest, as far as dropping,
// adding and swapping single ones from the current ones leads, and their weights at its minimum.
// `scale` is what the rows added count for.
std::vector<SparseWeights> choose(std::uint64_t k, const std::vector<Choice>& choices,
                                  double scale);

}  // namespace thresh
