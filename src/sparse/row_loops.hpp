// The loops over a row's non-zeros that every solver uses.
#pragma once

#include <cmath>
#include <span>

#include "sparse/compensated_dot.hpp"
#include "sparse/weight_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Sums in the row's order with one accumulator. LIBLINEAR uses the same order, so exported models
// give the same sums to the last bit.
template <class Weights>  // by slot
double plain_dot(const Weights& weights, const Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size; ++i) sum += weights[row.slots[i]] * row.values[i];
  return sum;
}

inline double dot(const WeightArray& weights, const Row& row, bool compensated = false) {
  if (compensated) {
    return compensated_dot(weights.at(0), row.slots, row.values, row.size, weights.numbers());
  }
  return weights.viewed([&](const auto& view) { return plain_dot(view, row); });
}

// For two rows. Each addition of a sum waits for the last, so two sums cost little more than one.
struct Dots {
  double first, second;
};
// Not inlined: GCC 12 stores a sum that outlives the caller's loop in memory, at half the speed.
[[gnu::noinline]] inline Dots dot_two(WeightView<1> weights, const Row& a, const Row& b) {
  const std::size_t both = a.size < b.size ? a.size : b.size;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < both; ++i) {
    first += weights[a.slots[i]] * a.values[i];
    second += weights[b.slots[i]] * b.values[i];
  }
  for (std::size_t i = both; i < a.size; ++i) first += weights[a.slots[i]] * a.values[i];
  for (std::size_t i = both; i < b.size; ++i) second += weights[b.slots[i]] * b.values[i];
  return {first, second};
}

inline double l1_norm(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += std::fabs(x);
  return sum;
}
inline double l1_norm(const WeightArray& weights) {
  double sum = 0;
  for (std::size_t slot = 0; slot < weights.size(); ++slot) sum += std::fabs(weights[slot]);
  return sum;
}

// Prefetches a row. Shuffled rows lie anywhere in their window, so the processor cannot predict
// their addresses.
inline void prefetch(const Row& row) {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const void* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kLine) {
      __builtin_prefetch(static_cast<const char*>(data) + at);
    }
  };
  const std::size_t entries = row.size < 256 ? row.size : 256;  // of a long row, the beginning
  fetch(row.slots, entries * sizeof *row.slots);
  fetch(row.values, entries * sizeof *row.values);
}

// S(v, t) = sign(v) max(|v| - t, 0): v minus its part within [-t, t]. Computed with minimum and
// maximum, because branches would be mispredicted. NaN stays NaN.
inline double soft_threshold(double v, double t) {
  const double above = v < -t ? -t : v;
  return v - (above > t ? t : above);
}

}  // namespace thresh
