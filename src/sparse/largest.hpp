// H(v, k): sets all but the k largest magnitudes of a dense vector to 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace thresh {

// Among equal magnitudes the lower index stays. O(size of v).
inline void keep_largest(std::span<double> v, std::size_t k) {
  if (k >= v.size()) return;
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto stays_before = [&](std::size_t a, std::size_t b) {
    const double x = std::fabs(v[a]);
    const double y = std::fabs(v[b]);
    return x != y ? x > y : a < b;
  };
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(order.begin(), cut, order.end(), stays_before);
  std::for_each(cut, order.end(), [&](std::size_t j) { v[j] = 0; });
}

}  // namespace thresh
