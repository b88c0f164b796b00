// The laws of what solvers are made of: thresholds, deferred shrinkage, the largest k, exact sums.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "sparse/compensated_sum.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/largest.hpp"
#include "sparse/random.hpp"
#include "sparse/row_loops.hpp"
#include "sparse/shrinkage.hpp"
#include "sparse/top_heap.hpp"

namespace thresh::sparse_law {
namespace {

Random any_random() {
  return Random(*rc::gen::arbitrary<std::uint64_t>());
}

// S(v, t) is the u that minimises (u - v)^2 / 2 + t |u|.
RC_GTEST_PROP(SoftThreshold, IsTheProximalPoint, ()) {
  Random random = any_random();
  const double v = random.normal();
  const double t = *rc::gen::element(0, 1) * std::fabs(random.normal());
  const auto cost = [&](double u) { return (u - v) * (u - v) / 2 + t * std::fabs(u); };
  const double best = cost(soft_threshold(v, t));
  RC_ASSERT(best <= cost(0));
  for (int k = -400; k <= 400; ++k) RC_ASSERT(best <= cost(0.01 * k) + 1e-15);
}

TEST(SoftThreshold, KeepsSignsAndMakesExactZeros) {
  EXPECT_EQ(soft_threshold(3, 1), 2);
  EXPECT_EQ(soft_threshold(-3, 1), -2);
  EXPECT_EQ(soft_threshold(1, 1), 0);
  EXPECT_EQ(soft_threshold(-1, 1), 0);
  EXPECT_EQ(soft_threshold(1e-300, 1), 0);
  EXPECT_EQ(soft_threshold(-0.5, 0), -0.5);
}

// Amounts that are sums of few powers of two add without rounding, so that equality is exact.
RC_GTEST_PROP(Shrinkage, PaidAtOnceIsPaidBitByBit, ()) {
  Random random = any_random();
  const double ceiling =
      *rc::gen::element(0, 1) == 0 ? std::numeric_limits<double>::infinity() : 0.5;
  Shrinkage shrinkage(ceiling);
  const std::size_t slots = 4;
  std::vector<double> late(slots);
  std::vector<double> paid(slots);
  std::vector<double> prompt(slots);
  for (int step = 0; step < 60; ++step) {
    if (random.below(2) == 0) {
      const double amount = std::ldexp(static_cast<double>(random.below(8)), -8);
      shrinkage.add(amount);
      for (double& w : prompt) {
        if (std::fabs(w) <= ceiling) w = soft_threshold(w, amount);
      }
    }
    // A feature that occurs pays first, then its weight changes.
    const std::size_t slot = random.below(slots);
    late[slot] = shrinkage.settled(late[slot], paid[slot]);
    paid[slot] = shrinkage.total();
    RC_ASSERT(late[slot] == prompt[slot]);
    const double change = std::ldexp(static_cast<double>(random.below(256)) - 128, -8);
    late[slot] += change;
    prompt[slot] += change;
  }
  const auto count = [&] {
    return slots - static_cast<std::size_t>(std::count(late.begin(), late.end(), 0.0));
  };
  std::vector<double> pairs;
  for (std::size_t i = 0; i < slots; ++i) pairs.insert(pairs.end(), {late[i], paid[i]});
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  const std::vector<double> ones(slots, 1.0);
  std::uint64_t nonzeros = count();
  shrinkage.settle(all.data(), ones.data(), slots, pairs.data(), 0, nonzeros);
  for (std::size_t i = 0; i < slots; ++i) late[i] = pairs[2 * i];
  RC_ASSERT(late == prompt);
  RC_ASSERT(nonzeros == count());
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

// Features of a row are settled four at once, as one after the other.
RC_GTEST_PROP(Shrinkage, SettlesARowAsItsFeaturesOneByOne, ()) {
  Random random = any_random();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double numbers[] = {0, -0.0, 0.25, -0.25, 1, -1, 3, 1e-320, kInfinite, std::nan("")};
  const auto any_number = [&] {
    return random.below(2) == 0 ? random.normal() : numbers[random.below(std::size(numbers))];
  };
  Shrinkage shrinkage(random.below(2) == 0 ? kInfinite : 1);
  shrinkage.add(random.below(20) == 0 ? kInfinite : 2);
  constexpr std::size_t kSlots = 40;
  std::vector<double> pairs(2 * kSlots);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    pairs[2 * slot] = any_number();
    const double paid[] = {0, 1, 1.75, shrinkage.total()};
    pairs[2 * slot + 1] = paid[random.below(4)];
  }
  std::vector<std::uint32_t> slots;
  std::vector<double> values;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    if (random.below(3) == 0) continue;
    slots.push_back(slot);
    values.push_back(random.normal());
  }
  std::vector<double> expected = pairs;
  double sum = 0.5;
  std::uint64_t nonzeros = 100, found = 100;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    double* const pair = &expected[std::size_t{2} * slots[i]];
    const double after = shrinkage.settled(pair[0], pair[1]);
    nonzeros += std::uint64_t{after != 0 ? 1U : 0U} - std::uint64_t{pair[0] != 0 ? 1U : 0U};
    pair[0] = after;
    pair[1] = shrinkage.total();
    sum += after * values[i];
  }
  const double total =
      shrinkage.settle(slots.data(), values.data(), slots.size(), pairs.data(), 0.5, found);
  RC_ASSERT(bits_of(pairs) == bits_of(expected));
  RC_ASSERT((total == sum || (std::isnan(total) && std::isnan(sum))));
  RC_ASSERT(found == nonzeros);
}

// From the largest to the smallest magnitude, of equals the lower index first.
std::vector<std::size_t> ranked(const std::vector<double>& v) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(v[a]) > std::fabs(v[b]); });
  return order;
}

// Few values, so that many are equal.
std::vector<double> any_values(Random& random, std::size_t n) {
  std::vector<double> v(n);
  for (double& x : v) x = static_cast<double>(random.below(11)) - 5;
  return v;
}

RC_GTEST_PROP(KeepLargest, IsTheHeadOfTheSortedMagnitudes, ()) {
  Random random = any_random();
  const std::vector<double> v = any_values(random, *rc::gen::inRange<std::size_t>(0, 40));
  const auto k = *rc::gen::inRange<std::size_t>(0, 45);
  std::vector<double> expected(v.size());
  const auto order = ranked(v);
  for (std::size_t i = 0; i < std::min(k, v.size()); ++i) expected[order[i]] = v[order[i]];
  std::vector<double> got = v;
  keep_largest(got, k);
  RC_ASSERT(got == expected);
}

// Slots get their places in another order than that of the feature ids behind them.
RC_GTEST_PROP(TopHeap, PopsTheTailOfTheSortedMagnitudes, ()) {
  Random random = any_random();
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  FeatureMap features(0, 0);  // no feature is its own slot
  std::vector<std::uint64_t> ids(n);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  shuffle(ids.begin(), ids.end(), random);
  std::map<std::uint64_t, std::uint32_t> slot_of;
  for (const std::uint64_t id : ids) slot_of[id] = features.slot(id);

  TopHeap heap(features);
  heap.ensure_slots(n);
  std::vector<double> now(n);  // by id
  for (int change = 0; change < 100; ++change) {
    const std::uint64_t id = random.below(n);
    now[id] = static_cast<double>(random.below(5));
    heap.set(slot_of[id], now[id]);
  }
  auto order = ranked(now);
  std::erase_if(order, [&](std::size_t id) { return now[id] == 0; });
  RC_ASSERT(heap.size() == order.size());
  for (; !order.empty(); order.pop_back()) RC_ASSERT(heap.pop() == slot_of[order.back()]);
  RC_ASSERT(heap.size() == 0U);
}

// What was added and taken away again leaves nothing behind, however large it was.
RC_GTEST_PROP(CompensatedSum, ForgetsWhatWasTakenAway, ()) {
  Random random = any_random();
  CompensatedSum sum;
  std::vector<double> passing;
  double staying = 0;
  for (int i = 0; i < 50; ++i) {
    passing.push_back(std::ldexp(random.normal(), static_cast<int>(random.below(40))));
    sum.add(passing.back());
    const double stays = static_cast<double>(random.below(1000)) / 1024;
    sum.add(stays);
    staying += stays;
  }
  shuffle(passing.begin(), passing.end(), random);
  for (const double x : passing) sum.add(-x);
  RC_ASSERT(std::fabs(sum.value() - staying) <= 1e-15 * staying);
}

TEST(CompensatedSum, KeepsSmallNumbersBesideLargeOnes) {
  CompensatedSum sum;
  sum.add(1e16);
  for (int i = 0; i < 1000; ++i) sum.add(0.25);
  sum.add(-1e16);
  EXPECT_EQ(sum.value(), 250);
}

}  // namespace
}  // namespace thresh::sparse_law
