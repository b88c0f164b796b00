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

inline std::optional<Interval> complement(const std::optional<Interval>& share) {
  if (!share) return std::nullopt;
  return Interval{1 - share->high, 1 - share->low};
}

// Of the calibration error: the sum over bins of share * |d|, where d is the difference of a mean
// probability and a share of positives.
//
// Its measured value is the sum of share * |d + noise|, so it exceeds the true one by at most S =
// sum of share * |noise|, with the mean and variance of half-normal variables: that is the lower
// end. Chance raises the expected value and never lowers it (Jensen), and the measured value varies
// no more than the noise itself: that is the upper end.
class CalibrationInterval {
 public:
  // `share` of all rows lie in a bin of n rows.
  void add(double share, double probability, double positives, double n) {
    // Few rows may all be of one class without the class being certain.
    const double variance =
        std::fmax(probability * (1 - probability), positives * (1 - positives)) / n;
    mean_ += share * std::sqrt(variance * kTwoOverPi);
    variance_ += share * share * variance;
  }
  std::optional<Interval> around(double value) const {
    if (!std::isfinite(variance_)) return std::nullopt;
    const double chance = mean_ + kNormal95 * std::sqrt((1 - kTwoOverPi) * variance_);
    return Interval{std::fmax(0, value - chance),
                    std::fmin(1, value + kNormal95 * std::sqrt(variance_))};
  }

 private:
  static constexpr double kTwoOverPi = 0.6366197723675814;
  double mean_ = 0, variance_ = 0;  // of S; of the noise
};

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
