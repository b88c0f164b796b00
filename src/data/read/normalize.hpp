// Scales rows to unit length.
#pragma once

#include <cstddef>

#include "data/read/row_scale.hpp"

namespace thresh {

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
