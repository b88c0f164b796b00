// Features on one scale for the solvers that want that.
#pragma once

#include "thresh/fit.hpp"

namespace thresh {

// Whether scaled_for_solver() may change anything.
bool may_be_scaled(const Problem& problem, const Options& options);
// With the features of a table on one scale, if the solver wants that and nobody has said which
// scale they are to have.
Problem scaled_for_solver(const Problem& problem, const Options& options);

}  // namespace thresh
