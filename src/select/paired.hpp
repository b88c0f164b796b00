// Two models compared on the same rows.
#pragma once

#include <cstdint>

#include "thresh/select.hpp"

namespace thresh {

struct Difference {
  double mean = 0;
  double se = 0;
};

// How much worse `a` is than `b` on the same rows. `repeats` scores of a row are not independent.
Difference difference_of(const RowScores& a, const RowScores& b, By by, std::uint64_t repeats);

}  // namespace thresh
