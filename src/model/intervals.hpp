// 95% intervals of the figures of `thresh eval`.
#pragma once

#include <cmath>
#include <optional>

#include "thresh/metrics.hpp"

namespace thresh {

inline constexpr double kNormal95 = 1.959963984540054;

// How many rows of equal weight would tell as much (Kish 1965).
inline double effective_rows(double weight, double squared_weights) {
  return weight * weight / squared_weights;
}

// Of a share of n rows (Wilson 1927): never empty, even if the share is 0 or 1.
inline std::optional<Interval> share_interval(double share, double n) {
  if (!(n > 0) || !std::isfinite(n)) return std::nullopt;
  const double z2 = kNormal95 * kNormal95;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double reach =
      kNormal95 / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return Interval{std::fmax(0, centre - reach), std::fmin(1, centre + reach)};
}

// Of a mean that cannot be negative.
inline std::optional<Interval> mean_interval(double mean, const std::optional<double>& se) {
  if (!se || !std::isfinite(mean)) return std::nullopt;
  return Interval{std::fmax(0, mean - kNormal95 * *se), mean + kNormal95 * *se};
}

// Of the square root of a mean.
inline std::optional<Interval> root_interval(double mean, const std::optional<double>& se) {
  const auto squared = mean_interval(mean, se);
  if (!squared) return std::nullopt;
  return Interval{std::sqrt(squared->low), std::sqrt(squared->high)};
}

inline std::optional<Interval> within_one(double value, double variance) {
  if (!std::isfinite(variance)) return std::nullopt;
  const double reach = kNormal95 * std::sqrt(variance);
  return Interval{std::fmax(0, value - reach), std::fmin(1, value + reach)};
}

// F1 = 2 hits / (2 hits + misses), by the delta method for multinomial counts: the terms with the
// number of rows cancel.
inline std::optional<Interval> f1_interval(double hits, double misses) {
  const double sum = 2 * hits + misses;
  if (!(sum > 0)) return std::nullopt;
  const double square = sum * sum;
  return within_one(2 * hits / sum, 4 * hits * misses * (hits + misses) / (square * square));
}

// Hanley & McNeil 1982.
inline std::optional<Interval> auc_interval(double auc, double positives, double negatives) {
  if (!(positives > 0) || !(negatives > 0)) return std::nullopt;
  const double q1 = auc / (2 - auc) - auc * auc;
  const double q2 = 2 * auc * auc / (1 + auc) - auc * auc;
  const double variance =
      (auc * (1 - auc) + (positives - 1) * q1 + (negatives - 1) * q2) / (positives * negatives);
  return within_one(auc, std::fmax(0, variance));
}

}  // namespace thresh
