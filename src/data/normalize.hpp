// Rows of unit length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thresh {

// Scales a row to unit length; whether there are zeros in it now. A power of two keeps the squares
// from overflowing or vanishing.
inline bool normalize_l2(double* values, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(values[i]));
  if (largest == 0) return n > 0;
  const double power = largest > 0x1p400 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (values[i] * power) * (values[i] * power);
  const double length = std::sqrt(sum);
  bool has_zeros = false;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = values[i] * power / length;
    has_zeros |= values[i] == 0;
  }
  return has_zeros;
}

}  // namespace thresh
