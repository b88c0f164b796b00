// Features have slots: below the limit their own number, above it the next free one.
#include "sparse/feature_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace thresh::feature_map_law {
namespace {

TEST(FeatureMap, BelowTheLimitASlotIsTheId) {
  FeatureMap map(0, 100);
  for (std::uint64_t id = 0; id < 100; ++id) {
    EXPECT_EQ(map.slot(id), id);
    EXPECT_EQ(map.id(static_cast<std::uint32_t>(id)), id);
  }
}

TEST(FeatureMap, AboveTheLimitSlotsFollowTheOrderOfAppearance) {
  FeatureMap map(0, 100);
  EXPECT_EQ(map.slot(FeatureMap::kMaxIndex), 100u);
  EXPECT_EQ(map.slot(100), 101u);
  EXPECT_EQ(map.slot(5), 5u);
  EXPECT_EQ(map.slot(FeatureMap::kMaxIndex), 100u);
  EXPECT_EQ(map.slot(99), 99u);
  EXPECT_EQ(map.slot(12345), 102u);
}

TEST(FeatureMap, AKnownLargeDimensionSendsEveryFeatureToTheTable) {
  FeatureMap large(101, 100);
  EXPECT_EQ(large.slot(50), 0u);
  EXPECT_EQ(large.slot(7), 1u);
  EXPECT_EQ(large.id(0), 50u);
  FeatureMap just_fits(100, 100);
  EXPECT_EQ(just_fits.slot(50), 50u);
}

TEST(FeatureMap, IdsAndSlotsRoundTrip) {
  for (const std::uint64_t limit : {0, 1, 1000}) {
    Random random(limit);
    FeatureMap map(0, limit);
    std::set<std::uint64_t> ids;
    std::set<std::uint32_t> slots;
    for (int i = 0; i < 50'000; ++i) {
      // Multiples of powers of two are what a bad hash chokes on.
      const std::uint64_t id = random.below(5000) << random.below(28);
      const std::uint32_t slot = map.slot(id);
      ASSERT_EQ(map.id(slot), id);
      ASSERT_EQ(map.slot(id), slot);
      ids.insert(id);
      slots.insert(slot);
    }
    EXPECT_EQ(ids.size(), slots.size()) << "no two features share a slot";
    EXPECT_LT(*slots.rbegin(), limit + ids.size()) << "and no slot is wasted";
  }
}

TEST(FeatureMap, AFrozenMapKnowsWhatItKnew) {
  FeatureMap map(0, 10);
  EXPECT_EQ(map.slot(1000), 10u);
  map.freeze();
  EXPECT_EQ(map.slot(1000), 10u);
  EXPECT_EQ(map.slot(1001), FeatureMap::kUnknown);
  EXPECT_EQ(map.slot(9), 9u);
  EXPECT_EQ(map.slot(10), FeatureMap::kUnknown);
}

TEST(FeatureMap, ThreadsAgreeOnTheSlots) {
  constexpr std::uint64_t kIds = 20'000;
  FeatureMap map(0, 500);
  std::vector<std::vector<std::uint32_t>> slots(4, std::vector<std::uint32_t>(kIds));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < slots.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kIds; ++i) {
        const std::uint64_t id = (i * 7919 + t * 5003) % kIds;  // each in an order of its own
        slots[t][id] = map.slot(id);
        if (map.id(slots[t][id]) != id) slots[t][id] = FeatureMap::kUnknown;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t t = 1; t < slots.size(); ++t) EXPECT_TRUE(slots[t] == slots[0]);
  const std::set<std::uint32_t> distinct(slots[0].begin(), slots[0].end());
  EXPECT_EQ(distinct.size(), kIds);
  EXPECT_EQ(*distinct.rbegin(), kIds - 1);
}

}  // namespace
}  // namespace thresh::feature_map_law
