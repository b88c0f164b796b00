// The logistic loss of many rows at once, several to an instruction: exponentials and logarithms by
// polynomials instead of calls. Every operation is rounded as written, so all processors give the
// same bits; within a few units in the last place of the functions of LossFunction.
#pragma once

#include <cstddef>

namespace thresh {

// Rows that a call may have.
inline constexpr std::size_t kLogisticRows = 1024;

// Slopes and curvatures in the margin, times the share of each row; the sum of shares times losses.
double logistic_losses(std::size_t n, const double* margins, const double* labels,
                       const double* shares, double* slopes, double* curvatures);

// The sum of shares times conjugates at `scale` times the slopes; these come with their shares.
double logistic_conjugates(std::size_t n, const double* slopes, const double* shares, double scale);

}  // namespace thresh
