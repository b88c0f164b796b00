// The tables of elementary.hpp, computed at compile time in pairs of doubles: about 100 bits.

#include "math/elementary.hpp"

namespace thresh::portable::detail {
namespace {

// high + low, where low is at most half a unit in the last place of high.
struct Pair {
  double high = 0;
  double low = 0;
};

constexpr Pair renormalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

// Exactly a * b, by Veltkamp's splitting, because std::fma is not a constant expression.
constexpr Pair times(double a, double b) {
  constexpr double kSplitter = 0x1p27 + 1;
  const double a_upper = a * kSplitter - (a * kSplitter - a);
  const double b_upper = b * kSplitter - (b * kSplitter - b);
  const double a_lower = a - a_upper;
  const double b_lower = b - b_upper;
  const double product = a * b;
  return {product, ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) +
                       a_lower * b_lower};
}

constexpr Pair operator*(const Pair& a, const Pair& b) {
  const Pair product = times(a.high, b.high);
  return renormalised(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr Pair operator+(const Pair& a, const Pair& b) {
  const double sum = a.high + b.high;
  const double part = sum - a.high;
  const double lost = (a.high - (sum - part)) + (b.high - part);
  return renormalised(sum, lost + (a.low + b.low));
}

constexpr Pair operator/(const Pair& a, double b) {
  const double quotient = a.high / b;
  const Pair back = times(quotient, b);
  return renormalised(quotient, (((a.high - back.high) - back.low) + a.low) / b);
}

// log v by the series of 2 artanh((v - 1) / (v + 1)), for v in [1/2, 2].
constexpr Pair log_pair(double v) {
  const Pair s = Pair{v - 1} / (v + 1);
  const Pair square = s * s;
  Pair sum;
  for (int n = 81; n > 0; n -= 2) sum = sum * square + Pair{1} / n;
  return Pair{2} * s * sum;
}

constexpr Pair exp_pair(const Pair& x) {
  Pair sum{1};
  for (int n = 30; n > 0; --n) sum = sum * x / n + Pair{1};
  return sum;
}

constexpr Pair kLn2Pair = log_pair(2);

// Rounds x to the nearest multiple of `unit`.
constexpr double rounded_to(double unit, double x) {
  const double shift = 0x1.8p52 * unit;
  return (x + shift) - shift;
}

constexpr std::array<PowerEntry, kTableSize> make_powers() {
  std::array<PowerEntry, kTableSize> powers{};
  for (std::uint64_t j = 0; j < kTableSize; ++j) {
    const Pair power = exp_pair(kLn2Pair * Pair{static_cast<double>(j) / kTableSize});
    powers[j] = {power.low / power.high,
                 std::bit_cast<std::uint64_t>(power.high) - (j << kStepBits)};
  }
  return powers;
}

constexpr std::array<LogEntry, kTableSize> make_logs() {
  constexpr std::uint64_t kHalfStep = std::uint64_t{1} << (kStepBits - 1);
  std::array<LogEntry, kTableSize> logs{};
  for (std::uint64_t j = 0; j < kTableSize; ++j) {
    const auto middle = std::bit_cast<double>(kLogStart + (j << kStepBits) + kHalfStep);
    const double inverse = rounded_to(0x1p-23, 1 / middle);
    const Pair log = log_pair(inverse);
    const double high = rounded_to(0x1p-42, -log.high);
    logs[j] = {inverse, high, (-log.high - high) - log.low};
  }
  return logs;
}

// Exponents take 11 bits, 128 times an exponent 18. The high parts leave that many bits free.
constexpr Ln2 make_ln2() {
  const double high = rounded_to(0x1p-42, kLn2Pair.high);
  const double fewer = rounded_to(0x1p-34, kLn2Pair.high);
  return {.inverse_step = kTableSize / kLn2Pair.high,
          .step_high = fewer / kTableSize,
          .step_low = ((kLn2Pair.high - fewer) + kLn2Pair.low) / kTableSize,
          .high = high,
          .low = (kLn2Pair.high - high) + kLn2Pair.low};
}

}  // namespace

constinit const std::array<PowerEntry, kTableSize> kPowers = make_powers();
constinit const std::array<LogEntry, kTableSize> kLogs = make_logs();
constinit const Ln2 kLn2 = make_ln2();

}  // namespace thresh::portable::detail
