// exp, log, log1p, pow and sinh with the same bits on every machine.
//
// The C library's functions differ between versions and between processors (with or without fused
// multiply-add), and one bit of one weight makes a different model file. So nothing that affects a
// model, a prediction or a choice calls them. This file uses only operations that IEEE 754 rounds
// correctly, + - * /, and operations on bits.
//
// Errors are below 0.9 units in the last place: 0.53 for normal results (sinh: 0.65), more for
// subnormal ones and for log1p below 2^-50. Special values follow the C standard. The rounding mode
// must be to nearest. errno is not set, and floating-point flags have no meaning.
//
//     exp:  x = k ln2/128 + r,  e^x = 2^(k/128) e^r,  the 128 fractions of a power in a table
//     log:  x = 2^k z,  z v = 1 + r for a short v near 1/z from a table,  log x = k ln2 - log v +
//           log(1 + r); z v is exact in two parts, so no digit is lost where log x is small
//
// The method is Tang's (Table-driven implementation of the exponential function, 1989; of the
// logarithm function, 1990). |r| is at most 2^-8, so a few terms of the series suffice.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace thresh::portable {

namespace detail {

inline constexpr int kTableBits = 7;
inline constexpr std::uint64_t kTableSize = 1 << kTableBits;
inline constexpr int kStepBits = 52 - kTableBits;  // bits of a fraction below the table index

struct PowerEntry {
  double tail;         // 2^(j/128) is (1 + tail) times its nearest double,
  std::uint64_t bits;  // whose bits are these plus j in the top bits of the fraction
};
struct LogEntry {
  double inverse;    // v, with 24 bits
  double high, low;  // -log v; high is a multiple of 2^-42
};
// 1 / ln2 and ln2 in two parts. The high parts times any exponent, or 128 times it, are exact.
struct Ln2 {
  double inverse_step;         // 128 / ln2
  double step_high, step_low;  // ln2 / 128
  double high, low;            // high is a multiple of 2^-42
};
extern const std::array<PowerEntry, kTableSize> kPowers;
extern const std::array<LogEntry, kTableSize> kLogs;
extern const Ln2 kLn2;

// e^x = scale (1 + rest), scale = 2^exponent * 2^(j/128).
struct Power {
  std::uint64_t steps;  // 128 exponent + j
  double rest;
};

// For |x| < 2^20. The tails are added to x and must be much smaller.
template <class... Tail>
Power power_of(double x, Tail... tail) {
  constexpr double kToInteger = 0x1.8p52;  // leaves the nearest integer in the low bits
  const double shifted = x * kLn2.inverse_step + kToInteger;
  const double k = shifted - kToInteger;
  const double r = (((x - k * kLn2.step_high) - k * kLn2.step_low) + ... + tail);
  const double r2 = r * r;
  const auto steps = std::bit_cast<std::uint64_t>(shifted);
  const double rest = (kPowers[steps % kTableSize].tail + r) +
                      r2 * ((0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)));
  return {steps, rest};
}

// The exponent must be that of a normal number.
inline double value_of(const Power& power) {
  const auto scale =
      std::bit_cast<double>(kPowers[power.steps % kTableSize].bits + (power.steps << kStepBits));
  return scale + scale * power.rest;
}

inline constexpr double kFar = 708;  // up to here e^x and e^-x are normal

// e^(x + tail) outside the range of power_of and value_of.
double exp_far(double x, double tail = 0);
double log_special(double x);
double log1p_special(double x);

inline constexpr std::uint64_t kLeastNormal = 0x0010000000000000;
inline constexpr std::uint64_t kInfinity = 0x7ff0000000000000;
inline constexpr std::uint64_t kLogStart = 0x3fe6900000000000;  // z is in [0.705, 1.41)

inline bool is_normal_positive(std::uint64_t bits) {
  return bits - kLeastNormal < kInfinity - kLeastNormal;
}

// x = 2^exponent z and z v = 1 + r + rest.
struct Reduced {
  const LogEntry* entry;  // the table entry with v
  std::int64_t exponent;
  double r, rest;
};

inline Reduced reduced(std::uint64_t bits) {
  const std::uint64_t from_start = bits - kLogStart;
  const LogEntry& entry = kLogs[(from_start >> kStepBits) % kTableSize];
  const auto exponent = static_cast<std::int64_t>(from_start) >> 52;
  const std::uint64_t z = bits - (static_cast<std::uint64_t>(exponent) << 52);
  constexpr std::uint64_t kUpper = ~std::uint64_t{0} << 26;
  const auto upper = std::bit_cast<double>(z & kUpper);
  const double lower = std::bit_cast<double>(z) - upper;
  const double first = upper * entry.inverse - 1;  // exact, like the next product
  const double second = lower * entry.inverse;
  const double r = first + second;
  return {&entry, exponent, r, (first - r) + second};
}

inline double log_of(const Reduced& x) {
  const double r = x.r;
  const auto k = static_cast<double>(x.exponent);
  const double whole = k * kLn2.high + x.entry->high;  // exact
  const double sum = whole + r;
  const double lost = (whole - sum) + r;
  const double r2 = r * r;
  const double series =
      (r * (1.0 / 3) - 0.5) + r2 * ((r * (1.0 / 5) - 0.25) + r2 * (r * (1.0 / 7) - 1.0 / 6));
  return sum + (((k * kLn2.low + x.entry->low) + (lost + x.rest)) + r2 * series);
}

}  // namespace detail

inline double exp(double x) {
  if (!(std::fabs(x) < detail::kFar)) [[unlikely]]
    return detail::exp_far(x);
  return detail::value_of(detail::power_of(x));
}

inline double log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if (!detail::is_normal_positive(bits)) [[unlikely]]
    return detail::log_special(x);
  return detail::log_of(detail::reduced(bits));
}

// log(1 + x).
inline double log1p(double x) {
  // Outside this range 1 + x rounds to 1 or to x, or has no logarithm.
  const double size = std::fabs(x);
  const bool common = size > 0x1p-54 && size < 0x1p60 && x > -1;
  if (!common) [[unlikely]]
    return detail::log1p_special(x);
  const double sum = 1 + x;
  const double lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
  detail::Reduced parts = detail::reduced(std::bit_cast<std::uint64_t>(sum));
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - parts.exponent) << 52);
  parts.rest += lost * scale * parts.entry->inverse * (1 - parts.r);
  return detail::log_of(parts);
}

double pow(double x, double y);

// sinh(x) for |x| <= 1/2, by its series.
inline double sinh_within_half(double x) {
  const double t = x * x;
  const double t2 = t * t;
  const double first = (1.0 / 6 + t * (1.0 / 120)) + t2 * (1.0 / 5040 + t * (1.0 / 362880));
  const double second = (1.0 / 39916800 + t * (1.0 / 6227020800)) + t2 * (1.0 / 1307674368000);
  return x + x * t * (first + t2 * t2 * second);
}

}  // namespace thresh::portable
