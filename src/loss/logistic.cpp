#include "loss/logistic.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "sparse/wide.hpp"

namespace thresh {
namespace {

#define THRESH_INLINE [[gnu::always_inline]] inline

// math/elementary.hpp is not used: its table lookups would need gathers, while polynomials process
// several rows in one vector register. This costs a few units in the last place. The bits are the
// same on every machine here, too.
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// Adding it to a number leaves the nearest integer in the low bits.
constexpr double kToInteger = 0x1.8p52;

// e^x for -708 <= x <= 0: 2^n e^r with |r| <= ln(2) / 2, where 13 terms of the series are enough.
THRESH_INLINE double exp_of(double x) {
  constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;  // of ln 2
  const double shifted = x * (1 / kLn2) + kToInteger;
  const double n = shifted - kToInteger;
  const double r = (x - n * kHigh) - n * kLow;
  double sum = 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r * r + r + 1;
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(power);
}

// log((1 + s) / (1 - s)) for |s| <= 0.172.
THRESH_INLINE double log_ratio(double s) {
  const double t = s * s;
  double sum = 1.0 / 21;
  sum = sum * t + 1.0 / 19;
  sum = sum * t + 1.0 / 17;
  sum = sum * t + 1.0 / 15;
  sum = sum * t + 1.0 / 13;
  sum = sum * t + 1.0 / 11;
  sum = sum * t + 1.0 / 9;
  sum = sum * t + 1.0 / 7;
  sum = sum * t + 1.0 / 5;
  sum = sum * t + 1.0 / 3;
  return 2 * s + 2 * s * t * sum;
}

// log(1 + y) for -0.5 <= y <= 1. Outside sqrt(1/2) .. sqrt(2), 1 + y is halved or doubled first.
THRESH_INLINE double log1p_of(double y) {
  const bool high = y > 0.4142, low = y < -0.2928;
  const double z = high ? 0.5 * (y - 1) : low ? 2 * y + 1 : y;
  const double turned = high ? kLn2 : low ? -kLn2 : 0;
  return turned + log_ratio(z / (2 + z));
}

// log(q) for a normal q: k log 2 + log(f) with f in sqrt(1/2) .. sqrt(2). Finite for zero.
THRESH_INLINE double log_of(double q) {
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd, kBias = 2048;
  const auto bits = std::bit_cast<std::uint64_t>(q);
  const std::uint64_t exponent = (bits - kRootOfHalf + (kBias << 52)) >> 52;
  const auto f = std::bit_cast<double>(bits - ((exponent - kBias) << 52));
  constexpr double kTwo52 = 0x1p52;
  const double k = std::bit_cast<double>(exponent | std::bit_cast<std::uint64_t>(kTwo52)) -
                   (kTwo52 + static_cast<double>(kBias));
  return k * kLn2 + log_ratio((f - 1) / (f + 1));
}

THRESH_WIDE void losses_of(std::size_t n, const double* __restrict margins,
                           const double* __restrict labels, const double* __restrict shares,
                           double* __restrict slopes, double* __restrict curvatures,
                           double* __restrict losses) {
  for (std::size_t i = 0; i < n; ++i) {
    const double m = labels[i] * margins[i];
    const double size = std::fabs(m);
    const double e = exp_of(size < 708 ? -size : -708);
    const double part = 1 / (1 + e);
    const double z = (m > 0 ? e : 1) * part;  // |slope|
    losses[i] = shares[i] * (log1p_of(e) + (m > 0 ? 0 : size));
    slopes[i] = shares[i] * -labels[i] * z;
    curvatures[i] = shares[i] * (e * part * part);
  }
}

THRESH_WIDE void conjugates_of(std::size_t n, const double* __restrict slopes,
                               const double* __restrict shares, double scale,
                               double* __restrict conjugates) {
  for (std::size_t i = 0; i < n; ++i) {
    const double z = scale * std::fabs(slopes[i]) / shares[i];
    const double q = z < 0.5 ? z : 1 - z;
    conjugates[i] = shares[i] * (q * log_of(q) + (1 - q) * log1p_of(-q));
  }
}

}  // namespace

double logistic_losses(std::size_t n, const double* margins, const double* labels,
                       const double* shares, double* slopes, double* curvatures) {
  std::array<double, kLogisticRows> losses;
  losses_of(n, margins, labels, shares, slopes, curvatures, losses.data());
  return std::accumulate(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(n), 0.0);
}

double logistic_conjugates(std::size_t n, const double* slopes, const double* shares,
                           double scale) {
  std::array<double, kLogisticRows> conjugates;
  conjugates_of(n, slopes, shares, scale, conjugates.data());
  return std::accumulate(conjugates.begin(), conjugates.begin() + static_cast<std::ptrdiff_t>(n),
                         0.0);
}

}  // namespace thresh
