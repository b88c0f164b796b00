// Sums with twice the digits: a pair of doubles whose exact sum is the value (Dekker 1971, Knuth's
// TwoSum). Enough for all methods to give the same threshold, in whatever order they sum.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace thresh {

struct DoubleDouble {
  double high = 0;
  double low = 0;

  void add(double v) {
    const double sum = high + v;
    const double part = sum - high;
    low += (high - (sum - part)) + (v - part);
    high = sum;
  }
  void add(const DoubleDouble& other) {
    add(other.high);
    low += other.low;
  }
  void subtract(double v) { add(-v); }

  // The same value, with high as its nearest double.
  DoubleDouble normalised() const {
    const double sum = high + low;
    return {sum, low - (sum - high)};
  }

  double divided_by(const DoubleDouble& n) const {
    const DoubleDouble value = normalised();
    const double quotient = value.high / n.high;
    const double rest = std::fma(-quotient, n.high, value.high) + value.low - quotient * n.low;
    return quotient + rest / n.high;
  }
  double divided_by(std::size_t count) const {
    return divided_by(DoubleDouble{static_cast<double>(count), 0});
  }
};

// Exactly a * b, except for underflow.
inline DoubleDouble product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

// Sums a span in lanes that a compiler can hold in vector registers.
inline DoubleDouble accurate_sum(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  double high[kLanes] = {};
  double low[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double v = values[i + lane];
      const double sum = high[lane] + v;
      const double part = sum - high[lane];
      low[lane] += (high[lane] - (sum - part)) + (v - part);
      high[lane] = sum;
    }
  }
  DoubleDouble total;
  for (; i < values.size(); ++i) total.add(values[i]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) total.add({high[lane], low[lane]});
  return total;
}

}  // namespace thresh
