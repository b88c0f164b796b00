// More than two classes: one solver each, side by side in the same pass.
#pragma once

#include <memory>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

using Parts = std::vector<std::unique_ptr<Solver>>;

// A feature budget holds for each part, or for their sum.
enum class BudgetOf { each, sum };

// Rows come with their class number 0, 1, ... as label. A margin beyond `largest_margin` counts as
// a divergence; parts that learn by themselves have such a bound of their own.
std::unique_ptr<Solver> one_vs_rest(Parts parts, BudgetOf budget);
std::unique_ptr<Solver> softmax(Parts parts, BudgetOf budget, double largest_margin);

}  // namespace thresh
