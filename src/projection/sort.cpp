// The threshold by sorting: Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient Projections onto
// the l1-Ball for Learning in High Dimensions", ICML 2008, figure 1.
//
// From the largest down, a value belongs to the support while it is above the mean excess of the
// values so far, (sum - radius) / count.
//
// Departure: the running sum only decides where to stop. theta is computed in threshold.cpp.
//
// Cost: O(n log n); a copy of the vector.

#include <functional>

#include "projection/threshold.hpp"

namespace thresh {

bool candidates_by_sort(const Entries& entries, double radius, Candidates& kept) {
  if (!copy_entries(entries, kept)) return false;
  const auto values = kept.values();
  std::sort(values.begin(), values.end(), std::greater<>());
  double sum = 0;
  double size = 0;  // sum of magnitudes, which the error of `sum` is relative to
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    size += std::fabs(values[i]);
    if ((values[i] * static_cast<double>(i + 1) - sum) + radius < -kSlack * (size + radius)) {
      kept.resize(i);
      break;
    }
  }
  return true;
}

}  // namespace thresh
