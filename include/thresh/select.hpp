// Many models at once: side by side over the same rows.
#pragma once

#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// Trains a model for each candidate and gives what fit() would give one by one, bit for bit, in
// less time: candidates that learn from the same rows in the same order are shown each row while it
// is at hand, on all cores, and those that need all rows in memory share them. Solvers, passes,
// steps, budgets and losses may differ as they like, and a candidate that ends early or diverges
// does not disturb the others; the more agree in seed, order, holdout and weights, the more is
// shared.
//
// `observers` is empty or has one for each candidate, null for none. Each is called by one thread
// at a time, but different ones at once. Throws what fit() throws, of the first candidate it does
// so for.
std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               const std::vector<Observer*>& observers = {});

}  // namespace thresh
