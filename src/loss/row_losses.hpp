// Any loss of many rows at once.
#pragma once

#include <algorithm>
#include <cstddef>

#include "loss/logistic.hpp"
#include "loss/loss.hpp"

namespace thresh {

// Gives slopes and curvatures in the margin, times each row's weight. Returns sum(weight * loss).
// The logistic loss is vectorised.
inline double row_losses(const LossFunction& loss, std::size_t n, const double* margins,
                         const double* targets, const double* weights, double* slopes,
                         double* curvatures) {
  double sum = 0;
  if (loss.kind() == Loss::logistic) {
    for (std::size_t i = 0; i < n; i += kLogisticRows) {
      sum += logistic_losses(std::min(kLogisticRows, n - i), margins + i, targets + i, weights + i,
                             slopes + i, curvatures + i);
    }
    return sum;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = loss.slope(margins[i], targets[i]);
    sum += weights[i] * loss.value(margins[i], targets[i]);
    slopes[i] = weights[i] * slope;
    curvatures[i] = weights[i] * loss.curvature(slope, targets[i]);
  }
  return sum;
}

}  // namespace thresh
