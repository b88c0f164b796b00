#include "train/weight_exponents.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace thresh {
namespace {

constexpr int kSmallest = -1074;  // of a double
constexpr int kLargest = 1023;
constexpr int kWithin = 51;  // what a double's sum still notices, as Xie et al. have it

struct Sums {
  double total = 0, within = 0, exponents = 0, squares = 0;

  void add(const ZeroedArray<double>& weights) {
    std::array<std::uint64_t, kLargest - kSmallest + 1> counts{};
    int largest = kSmallest;
    for (const double weight : weights.span()) {
      if (weight == 0 || !std::isfinite(weight)) continue;
      const int exponent = std::ilogb(weight);
      ++counts[static_cast<std::size_t>(exponent - kSmallest)];
      largest = std::max(largest, exponent);
    }
    for (int exponent = kSmallest; exponent <= largest; ++exponent) {
      const auto count =
          static_cast<double>(counts[static_cast<std::size_t>(exponent - kSmallest)]);
      total += count;
      if (exponent >= largest - kWithin) within += count;
      exponents += count * exponent;
      squares += count * exponent * exponent;
    }
  }
};

}  // namespace

std::optional<WeightExponents> weight_exponents(const Solver& solver) {
  Sums sums;
  sums.add(solver.state().weights);
  for (const auto& part : solver.parts()) sums.add(part->state().weights);
  if (sums.total == 0) return std::nullopt;
  const double mean = sums.exponents / sums.total;
  const double variance = std::max(0.0, sums.squares / sums.total - mean * mean);
  return WeightExponents{sums.within / sums.total, mean, std::sqrt(variance)};
}

}  // namespace thresh
