// More than two classes: one solver per class, all in the same pass.
#pragma once

#include <memory>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

using Parts = std::vector<std::unique_ptr<Solver>>;

// A feature budget applies to each class, or to their sum.
enum class BudgetOf { each, sum };

// The label of a row is its class number 0, 1, .... A margin beyond `largest_margin` is a
// divergence; parts that learn independently have their own bound.
std::unique_ptr<Solver> one_vs_rest(Parts parts, BudgetOf budget);
std::unique_ptr<Solver> softmax(Parts parts, BudgetOf budget, double largest_margin);

}  // namespace thresh
