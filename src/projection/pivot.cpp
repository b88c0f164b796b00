// The threshold by random pivots: Duchi et al. 2008, figure 2.
//
// A random value p splits the undecided values. If lowering all values >= p to p removes less than
// the radius, p is above theta: those values belong to the support, and the smaller ones remain
// undecided. Otherwise p and the smaller ones do not belong to it, and the greater ones remain.
//
// Departures:
// - Values equal to the pivot are treated like it. The figure sets aside only the pivot, which is
//   quadratic if many values are equal.
// - The random numbers have a fixed seed, so a call can be repeated.
// - theta is summed again (see threshold.cpp) from the values near or above the one found here.
//
// Cost: expected O(n), a copy of the vector.

#include "projection/threshold.hpp"
#include "sparse/random.hpp"

namespace thresh {
namespace {

struct Taken {  // as the support
  double sum = 0;
  double size = 0;  // sum of magnitudes
  double count = 0;

  Taken with(std::span<const double> values) const {
    Taken result = *this;
    for (const double v : values) {
      result.sum += v;
      result.size += std::fabs(v);
    }
    result.count += static_cast<double>(values.size());
    return result;
  }
};

}  // namespace

bool candidates_by_pivot(const Entries& entries, double radius, Candidates& kept) {
  if (!copy_entries(entries, kept)) return false;
  if (kept.size() == 0) return true;
  Random random(1);
  Taken taken;
  double* first = kept.data();
  double* last = first + kept.size();
  while (first != last) {
    const double pivot = first[random.below(static_cast<std::uint64_t>(last - first))];
    double* const greater = std::partition(first, last, [=](double v) { return v > pivot; });
    double* const equal = std::partition(greater, last, [=](double v) { return v == pivot; });
    const Taken more = taken.with({first, equal});
    if (more.sum - more.count * pivot < radius) {
      taken = more;
      first = equal;
    } else {
      last = greater;
    }
  }
  // Rounding can reject even the largest values, if the radius is below their last digit.
  if (taken.count == 0) taken = taken.with({first, 1});
  const double theta = (taken.sum - radius) / taken.count;
  kept.keep_above(theta - kSlack * (taken.size + radius) / taken.count);
  return true;
}

}  // namespace thresh
