// The loops over a row's non-zeros that every solver is made of.
#pragma once

#include <cmath>

#include "thresh/rows.hpp"

namespace thresh {

// Summed in the row's order, one accumulator: the order LIBLINEAR uses, so exported models give the
// same sums to the last bit.
inline double dot(const double* weights, const Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size; ++i) sum += weights[row.slots[i]] * row.values[i];
  return sum;
}

// S(v, t) = sign(v) max(|v| - t, 0), without std::fmax, which is a call to libm.
inline double soft_threshold(double v, double t) {
  return v > t ? v - t : v < -t ? v + t : 0.0;
}

}  // namespace thresh
