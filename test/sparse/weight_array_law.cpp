// Weights with other numbers beside them read like a plain array of weights.

#include <gtest/gtest.h>

#include <vector>

#include "sparse/row_loops.hpp"
#include "sparse/weight_array.hpp"

namespace thresh::weight_array_law {
namespace {

constexpr std::size_t kSlots = 9;

// Weight j is j - 4; the numbers beside it would spoil any sum.
WeightArray some_weights(std::size_t numbers) {
  WeightArray weights(numbers);
  weights.ensure(kSlots);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (std::size_t k = 0; k < numbers; ++k) weights.at(slot)[k] = 1e9;
    weights[slot] = static_cast<double>(slot) - 4;
  }
  return weights;
}

TEST(WeightArray, DotsAndNormsSeeOnlyWeights) {
  const std::vector<std::uint32_t> slots = {1, 4, 8};
  const std::vector<double> values = {2, 5, 0.5};
  const Row row{slots.data(), values.data(), slots.size(), 1, 1, 0};
  for (const std::size_t numbers : {1, 2, 4}) {
    const WeightArray weights = some_weights(numbers);
    EXPECT_EQ(weights.size(), kSlots);
    EXPECT_EQ(dot(weights, row), -3 * 2 + 4 * 0.5) << numbers;
    EXPECT_EQ(dot(weights, row, true), -3 * 2 + 4 * 0.5) << numbers;
    EXPECT_EQ(l1_norm(weights), 20) << numbers;
  }
}

TEST(WeightArray, GrowsWithItsNumbers) {
  WeightArray weights = some_weights(4);
  weights.ensure(100'000);
  EXPECT_EQ(weights.at(8)[0], 4);
  EXPECT_EQ(weights.at(8)[3], 1e9);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(weights.at(99'999)[k], 0);
}

TEST(WeightArray, KeepsWeightsOnly) {
  WeightArray weights = some_weights(4);
  weights.keep_weights_only();
  EXPECT_EQ(weights.numbers(), 1U);
  EXPECT_EQ(weights.size(), kSlots);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    EXPECT_EQ(weights[slot], static_cast<double>(slot) - 4);
  }
}

}  // namespace
}  // namespace thresh::weight_array_law
