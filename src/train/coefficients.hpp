// The weights of a learner as those of a model: by index, for features as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/solver.hpp"
#include "thresh/fit.hpp"

namespace thresh {

// A weight for values as they are. Huge values may leave no double for it, or one of few digits;
// that matters only for a weight that a margin notices. Then throws Error.
double unscaled(double weight, std::uint32_t slot, const Problem& problem, std::uint64_t index);

// For features as they are.
double intercept_of(const LinearState& state, const Problem& problem);

// The non-zeros by ascending index. All ranks must call it: rank 0 gets those of all of them, the
// others get none.
std::vector<Coefficient> coefficients_of(const LinearState& state, const Problem& problem);

}  // namespace thresh
