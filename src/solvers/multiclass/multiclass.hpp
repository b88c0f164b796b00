// More than two classes: one solver each, side by side in the same pass.
#pragma once

#include <functional>
#include <memory>

#include "solvers/solver.hpp"

namespace thresh {

// Rows come with their class number 0 .. classes-1 as label. `make` makes the solver of one class.
using MakePart = std::function<std::unique_ptr<Solver>(std::size_t c)>;
std::unique_ptr<Solver> one_vs_rest(std::size_t classes, const MakePart& make);
std::unique_ptr<Solver> softmax(std::size_t classes, const MakePart& make);

}  // namespace thresh
