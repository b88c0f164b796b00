// How far the weights of a model in the making are apart, for its trace.
//
// A walk through the weights: nothing beside the look at all training rows that a traced point
// takes anyway.
#pragma once

#include <optional>

#include "solvers/solver.hpp"
#include "thresh/fit.hpp"

namespace thresh {

// Of the settled weights; each class has a largest one of its own. None if all are zero.
std::optional<WeightExponents> weight_exponents(const Solver& solver);

}  // namespace thresh
