// The logistic loss of many rows at once, vectorised, with exponentials and logarithms as
// polynomials instead of calls. Every operation is rounded as written, so all processors give the
// same bits. They agree with LossFunction to a few units in the last place.
#pragma once

#include <cstddef>

namespace thresh {

// The most rows of a call.
inline constexpr std::size_t kLogisticRows = 1024;

// Gives slopes and curvatures in the margin, times each row's share. Returns sum(share * loss).
double logistic_losses(std::size_t n, const double* margins, const double* labels,
                       const double* shares, double* slopes, double* curvatures);

// The sum of shares times conjugates at `scale` times the slopes. The slopes include the shares.
double logistic_conjugates(std::size_t n, const double* slopes, const double* shares, double scale);

}  // namespace thresh
