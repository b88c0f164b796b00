// Online learning: every row is predicted, then learned from, once.
#pragma once

#include "common/data.hpp"
#include "common/figure.hpp"
#include "thresh/options.hpp"

namespace thresh::experiments {

// Curves of some 40 points: examples, loss and errors (sums so far), nonzeros, and seen, the
// number of different features so far. A run that diverges ends there, its loss infinite. For
// solvers that learn from slopes.
Json learn_online(const DataSet& data, const Options& options);

}  // namespace thresh::experiments
