// The weighted ball sum_j a_j |w_j| <= z. Duchi et al. 2008 mention it at the end of section 5 but
// give no algorithm.
//
// The solution is w_j = sign(v_j) max(|v_j| - a_j theta, 0), so entry j is in the support if its
// ratio |v_j| / a_j is above theta, and
//
//     theta = (sum a_j |v_j| - z) / sum a_j^2        over the support.
//
// An entry with a_j = 0 is free and stays as it is. Pivots are ratios. The search is that of
// pivot.cpp, the last rounds are those of threshold.cpp.
//
// Sums are long doubles, because a product of two doubles can leave the range of a double.
//
// Cost: expected O(n); three doubles for each entry that is not 0.

#include <algorithm>
#include <cmath>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/projection.hpp"

namespace thresh {
namespace {

using Real = long double;

struct Entry {
  Real ratio;
  double value;
  double weight;
};

struct WeightedSums {
  Real sum = 0;      // of weight * value
  Real squares = 0;  // of weights
  void add(const Entry& entry) {
    sum += Real{entry.weight} * entry.value;
    squares += Real{entry.weight} * entry.weight;
  }
};

template <class It>
WeightedSums with(WeightedSums support, It first, It last) {
  for (; first != last; ++first) support.add(*first);
  return support;
}

std::vector<Entry> entries_of(std::span<const double> v, std::span<const double> a) {
  if (v.size() != a.size()) throw UsageError("a weighted ball needs one weight for each entry");
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!std::isfinite(v[i])) {
      throw Error("a vector to be projected has an entry that is not finite");
    }
    if (!std::isfinite(a[i]) || a[i] < 0) {
      throw Error("the weights of a ball must be finite and not negative");
    }
    const double value = std::fabs(v[i]);
    if (value > 0 && a[i] > 0) entries.push_back({Real{value} / a[i], value, a[i]});
  }
  return entries;
}

// A lower bound of theta that is very close to it.
Real by_pivots(std::vector<Entry>& entries, Real radius) {
  Random random(1);
  WeightedSums taken;
  auto first = entries.begin();
  auto last = entries.end();
  while (first != last) {
    const auto index = random.below(static_cast<std::uint64_t>(last - first));
    const Real pivot = first[static_cast<std::ptrdiff_t>(index)].ratio;
    const auto greater =
        std::partition(first, last, [=](const Entry& entry) { return entry.ratio > pivot; });
    const auto equal =
        std::partition(greater, last, [=](const Entry& entry) { return entry.ratio == pivot; });
    const WeightedSums more = with(taken, first, equal);
    if (more.sum - more.squares * pivot < radius) {
      taken = more;
      first = equal;
    } else {
      last = greater;
    }
  }
  if (taken.squares == 0) return 0;
  const Real error = Real{0x1p-40} * (taken.sum + radius);
  return std::max(Real{0}, (taken.sum - radius - error) / taken.squares);
}

Real weighted_threshold(std::vector<Entry>& entries, Real radius) {
  Real theta = by_pivots(entries, radius);
  for (;;) {
    const std::size_t before = entries.size();
    std::erase_if(entries, [=](const Entry& entry) { return entry.ratio <= theta; });
    if (entries.empty()) return theta;
    const WeightedSums support = with({}, entries.begin(), entries.end());
    const Real next = (support.sum - radius) / support.squares;
    if (entries.size() == before && next <= theta) return next;
    theta = next;
  }
}

}  // namespace

double project_weighted_l1_ball(std::span<double> v, std::span<const double> a, double radius) {
  if (!std::isfinite(radius) || radius < 0) {
    throw Error("the radius of a projection must be finite and not negative");
  }
  std::vector<Entry> entries = entries_of(v, a);
  if (with({}, entries.begin(), entries.end()).sum <= radius) return 0;
  const Real theta =
      radius > 0
          ? weighted_threshold(entries, radius)
          : std::max_element(entries.begin(), entries.end(), [](const auto& x, const auto& y) {
              return x.ratio < y.ratio;
            })->ratio;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Real lowered = std::fabs(v[i]) - a[i] * theta;
    v[i] = lowered > 0 ? std::copysign(static_cast<double>(lowered), v[i]) : 0.0;
  }
  return static_cast<double>(theta);
}

}  // namespace thresh
