// How large steps may be: the largest eigenvalue of the data.
#pragma once

#include "data/matrix.hpp"

namespace thresh {

// Of X'SX, S the rows' weights, with a column of ones if there is an intercept. By power iteration:
// a little below the truth, so a hundredth is added. At least a positive number.
inline constexpr int kEigenvaluePasses = 200;  // over the data, two an iteration
double largest_eigenvalue(const Matrix& matrix, bool intercept);

}  // namespace thresh
