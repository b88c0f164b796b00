// The rows of a problem as a solver wants them.
#pragma once

#include "thresh/fit.hpp"

namespace thresh {

// Whether as_wanted() may change anything.
bool may_be_scaled(const Problem& problem, const Options& options);
// With the features of a table on one scale, if the solver wants that and nobody has said which
// scale they are to have.
Problem as_wanted(const Problem& problem, const Options& options);

}  // namespace thresh
