// Scales rows to unit length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace thresh {

struct Scale {
  double power = 1;
  double length = 1;
};

// The length of a row times a power of two that prevents overflow and underflow of the squares.
inline Scale scale_of(const double* values, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(values[i]));
  if (largest == 0) return {};
  const double power = largest > 0x1p400 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (values[i] * power) * (values[i] * power);
  return {power, std::sqrt(sum)};
}

// Scales a row to unit length. Returns whether it contains zeros now.
inline bool normalize_l2(double* values, std::size_t n) {
  const Scale scale = scale_of(values, n);  // 1 for zeros
  bool has_zeros = false;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = values[i] * scale.power / scale.length;
    has_zeros |= values[i] == 0;
  }
  return has_zeros;
}

}  // namespace thresh
