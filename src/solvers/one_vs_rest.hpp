// More than two classes: one solver each, every one against the rest, side by side in the same
// pass.
#pragma once

#include <functional>
#include <memory>

#include "solvers/solver.hpp"

namespace thresh {

// Rows come with their class number 0 .. classes-1 as label. `make` makes the solver of one class.
std::unique_ptr<Solver> one_vs_rest(std::size_t classes,
                                    const std::function<std::unique_ptr<Solver>()>& make);

}  // namespace thresh
