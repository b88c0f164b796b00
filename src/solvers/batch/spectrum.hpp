// How large steps may be: the largest eigenvalue of the data.
#pragma once

#include "data/feed/matrix.hpp"

namespace thresh {

// Of X'SX, S the rows' weights, with a column of ones if there is an intercept. By power iteration:
// a little below the truth, so a hundredth is added. At least a positive number.
// Fewer passes over the data, of which an iteration takes two, leave it further below.
inline constexpr int kEigenvaluePasses = 200;
inline constexpr int kGlimpsePasses = 10;
double largest_eigenvalue(const Matrix& matrix, bool intercept, int passes = kEigenvaluePasses);

}  // namespace thresh
