// Reasons to doubt a model that held-out rows have chosen.
#pragma once

#include <string>

#include "thresh/train.hpp"

namespace thresh {

// Digits in groups of three: 12,345.
std::string grouped(std::uint64_t n);
// A percentage, or for regression a number.
std::string as_error(double error, Task task);

// Adds warnings to the choice.
void add_doubts(const Problem& problem, const Options& options, SizeChoice& choice);

}  // namespace thresh
