// From candidates to theta: Michelot's iteration (1986). The mean excess over any subset,
//
//     (sum of its values - radius) / its size  <=  theta,
//
// is a lower bound. Values at or below it are removed. Once none is removed, the bound is theta.
// The candidates are nearly the right set, so this takes a round or two. Sums have twice the
// digits. Where even they would cancel, exact arithmetic over sorted values does the same.

#include "projection/threshold.hpp"

#include <array>
#include <functional>

#include "projection/double_double.hpp"
#include "projection/exact_sum.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

double exact_threshold(std::span<double> values, double radius) {
  std::sort(values.begin(), values.end(), std::greater<>());
  ExactSum excess;
  excess.subtract(radius);
  std::size_t active = 0;
  for (const double v : values) {
    // v is at or below theta if lowering everything above it to v leaves at least the radius.
    ExactSum lowered = excess;
    lowered.add_multiple(-v, active);
    if (!lowered.negative()) break;
    excess.add(v);
    ++active;
  }
  return active == 0 ? values.front() : excess.divided_by(active);
}

double sum_of_magnitudes(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += std::fabs(v);
  return sum;
}

// For entries too large to sum in double.
double exact_threshold_of(const Entries& entries, double radius) {
  Candidates all;
  for (const double v : entries.values) {
    const double entry = entries.magnitudes ? std::fabs(v) : v;
    if (entry > entries.floor) all.push(entry);
  }
  return all.size() == 0 ? 0 : exact_threshold(all.values(), radius);
}

void check_entries(std::span<const double> values) {
  for (const double v : values) {
    if (!std::isfinite(v)) throw Error("a vector to be projected has an entry that is not finite");
  }
}

double largest(const Entries& entries) {
  double result = -std::numeric_limits<double>::infinity();
  for (const double v : entries.values) {
    result = std::max(result, entries.magnitudes ? std::fabs(v) : v);
  }
  return result > entries.floor ? result : 0;
}

}  // namespace

bool copy_entries(const Entries& entries, Candidates& copy) {
  double scratch[kEntryBlock];
  copy.make_room(entries.values.size());
  for (std::size_t at = 0; at < entries.values.size(); at += kEntryBlock) {
    const auto block = entries.block(at, scratch);
    if (block.empty()) return false;
    copy.append_above(block, entries.floor);
  }
  return true;
}

double solve_threshold(Candidates& kept, double radius) {
  if (kept.size() == 0) return 0;
  for (;;) {
    DoubleDouble excess = accurate_sum(kept.values());
    excess.subtract(radius);
    // After 60 of some 105 bits cancelled, too few are left.
    const double left = std::fabs(excess.normalised().high);
    const double scale = std::fabs(excess.high) + radius;
    if (left <= 0x1p-20 * scale && left <= 0x1p-60 * (sum_of_magnitudes(kept.values()) + radius)) {
      return exact_threshold(kept.values(), radius);
    }
    const std::size_t before = kept.size();
    const double theta = excess.divided_by(before);
    kept.keep_above(theta);
    // No value is left if the radius is less than theta's last digit.
    if (kept.size() == before || kept.size() == 0) return theta;
  }
}

double find_threshold(const Entries& entries, double radius, ProjectionMethod method) {
  if (!std::isfinite(radius) || radius < 0) {
    throw Error("the radius of a projection must be finite and not negative");
  }
  if (entries.values.empty()) return 0;
  if (radius == 0 || radius > kLargestEntry) {
    check_entries(entries.values);
    return radius == 0 ? largest(entries) : exact_threshold_of(entries, radius);
  }
  Candidates kept;
  bool summable = false;
  switch (method) {
    case ProjectionMethod::sort:
      summable = candidates_by_sort(entries, radius, kept);
      break;
    case ProjectionMethod::pivot:
      summable = candidates_by_pivot(entries, radius, kept);
      break;
    case ProjectionMethod::condat:
      summable = candidates_by_condat(entries, radius, kept);
      break;
    case ProjectionMethod::automatic:
      summable = candidates_by_filter(entries, radius, kept);
      break;
  }
  if (summable) return solve_threshold(kept, radius);
  check_entries(entries.values);
  return exact_threshold_of(entries, radius);
}

}  // namespace thresh
