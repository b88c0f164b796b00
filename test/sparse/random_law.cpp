#include "sparse/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace thresh::random_law {
namespace {

TEST(Mix, IsTheFinaliserOfSplitmix64) {
  // The published sequence of splitmix64 from the state 1234567.
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  EXPECT_EQ(mix(1234567 + kStep), 6457827717110365317U);
  EXPECT_EQ(mix(1234567 + 2 * kStep), 3203168211198807973U);
  EXPECT_EQ(mix(1234567 + 3 * kStep), 9817491932198370423U);
  EXPECT_EQ(mix(0), 0U);
}

TEST(Random, FollowsTheReferenceImplementation) {
  Random random(std::array<uint64_t, 4>{1, 2, 3, 4});
  // The first outputs of the authors' xoshiro256++ from this state.
  for (const uint64_t expected :
       {uint64_t{41943041}, uint64_t{58720359}, uint64_t{3588806011781223},
        uint64_t{3591011842654386}, uint64_t{9228616714210784205U}}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(Random, IsPinnedForASeedAndAStream) {
  Random random(1);
  EXPECT_EQ(random.next(), 14534695347946561087U);
  EXPECT_EQ(random.below(1000000), 437583U);
  EXPECT_EQ(random.uniform(), 0.12446750175837618);
  EXPECT_EQ(random.normal(), -1.7081396415985);
  EXPECT_EQ(Random(1, 1).next(), 15214791934562887077U);
}

TEST(Random, SeedsAndStreamsDiffer) {
  std::set<uint64_t> firsts;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (uint64_t stream = 0; stream < 50; ++stream) firsts.insert(Random(seed, stream).next());
  }
  EXPECT_EQ(firsts.size(), 2500U);
}

TEST(Random, BelowIsUniform) {
  Random random(2);
  constexpr int kDraws = 70000;
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(7));
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi_square, 16.8);  // 99 % point of six degrees of freedom
  EXPECT_GT(chi_square, 0.87);  // and the 1 % point: too even is no better
}

TEST(Random, BelowRejectsWhatWouldBias) {
  // Of three quarters of 2^64, plain multiply-shift gives every third value twice the chance.
  constexpr uint64_t kRange = 3ULL << 62;
  Random random(3);
  int multiples = 0;
  for (int i = 0; i < 30000; ++i) {
    const uint64_t draw = random.below(kRange);
    ASSERT_LT(draw, kRange);
    multiples += draw % 3 == 0 ? 1 : 0;
  }
  EXPECT_NEAR(multiples, 10000, 400);
}

TEST(Random, BelowKnowsItsEnds) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.below(0), 0U);
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
  }
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(5);
  constexpr int kDraws = 100000;
  double sum = 0;
  double squares = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    sum += u;
    squares += u * u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 1e-3);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.999);
  EXPECT_NEAR(sum / kDraws, 0.5, 0.004);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.004);
}

TEST(Random, NormalHasTheMomentsAndTails) {
  Random random(6);
  constexpr int kDraws = 200000;
  std::vector<double> moments(5);
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(z, k) / kDraws;
    beyond_two += std::abs(z) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.015);
  EXPECT_NEAR(moments[3], 0, 0.04);
  EXPECT_NEAR(moments[4], 3, 0.12);
  EXPECT_NEAR(beyond_two / double{kDraws}, 0.0455, 0.002);
}

TEST(Shuffle, IsAPinnedPermutation) {
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  Random random(8);
  shuffle(items.begin(), items.end(), random);
  EXPECT_EQ(items, (std::vector<int>{1, 2, 7, 8, 3, 6, 0, 4, 5, 9}));
}

TEST(Shuffle, MakesEveryOrderEquallyLikely) {
  Random random(9);
  std::vector<int> counts(27);
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(items.begin(), items.end(), random);
    ++counts[9 * items[0] + 3 * items[1] + items[2]];
  }
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 21);
  for (const int count : counts) {
    if (count != 0) {
      EXPECT_NEAR(count, 10000, 400);
    }
  }
}

TEST(Shuffle, LeavesNothingAndOneAlone) {
  Random random(10);
  std::vector<int> items;
  shuffle(items.begin(), items.end(), random);
  items = {7};
  shuffle(items.begin(), items.end(), random);
  EXPECT_EQ(items, std::vector<int>{7});
  EXPECT_EQ(random.next(), Random(10).next()) << "nothing to decide, nothing drawn";
}

}  // namespace
}  // namespace thresh::random_law
