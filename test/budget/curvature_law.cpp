// The quadratic model of the solver `budget` against its definition: every subset has its normal
// equations written down and solved.

#include "solvers/budget/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "budget/curvature_sample.hpp"

namespace thresh::curvature_law {
namespace {

using Set = FeatureSet;
using Sample = CurvatureSample;

SparseWeights choose_in(const Curvature& model, std::uint64_t k, std::vector<char> current,
                        std::vector<char> kept, double scale) {
  return choose(k, {{&model, std::move(current), std::move(kept)}}, scale).front();
}

Set set_of(const SparseWeights& chosen) {
  Set set = 0;
  for (const std::uint32_t slot : chosen.slots) set |= Set{1} << (slot / 3 - 1);
  return set;
}

Set any_set(const Sample& s) {
  return *rc::gen::inRange<Set>(0, Set{1} << s.features);
}

std::size_t size_of(Set set) {
  return static_cast<std::size_t>(std::popcount(set));
}

RC_GTEST_PROP(BudgetCurvature, WeightsSolveTheNormalEquations, ()) {
  const Sample s = any_sample(*rc::gen::element(0.15, 0.5, 1.0));
  const auto k = *rc::gen::inRange<std::uint64_t>(0, s.features + 3);
  const SparseWeights got = choose_in(model_of(s), k, flags(s, any_set(s)), flags(s, 0), s.scale);
  RC_ASSERT(got.slots.size() == std::min<std::uint64_t>(k, s.features));
  RC_ASSERT(std::is_sorted(got.slots.begin(), got.slots.end()));
  const Minimum expected = minimum(s, set_of(got));
  for (std::size_t i = 0; i < got.slots.size(); ++i) {
    const double want = expected.w[got.slots[i] / 3 - 1] * kCurvatureUnit;
    RC_ASSERT(std::fabs(got.weights[i] - want) <= 1e-9 * (1 + std::fabs(want)));
  }
  const double want = s.intercept ? expected.w.back() : 0;
  RC_ASSERT(std::fabs(got.intercept - want) <= 1e-9 * (1 + std::fabs(want)));
}

// One row that is far too long is not the measure of all ridges.
TEST(BudgetCurvature, ALongRowLeavesRidgesAlone) {
  CurvatureSample s = sample(8, 400, 1, true, 3);
  const std::vector<double> before = model_of(s).ridges();
  for (double& value : s.x[17]) value *= 1e9;
  const std::vector<double> after = model_of(s).ridges();
  for (std::size_t j = 0; j < before.size(); ++j) EXPECT_NEAR(after[j] / before[j], 1, 0.05) << j;
}

// Models that have nothing to do with each other choose together what one model of all their
// features and rows would. Values are of one size, so that ridges do not tell the two apart.
RC_GTEST_PROP(BudgetCurvature, SeveralModelsChooseAsOne, ()) {
  const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
  std::vector<Sample> parts;
  Sample all;
  for (std::uint64_t c = 0; c < 3; ++c) {
    const auto features = *rc::gen::inRange<std::size_t>(0, 6);
    parts.push_back(sample(features, 20, 0.7, false, seed + c));
    parts.back().scale = 1;
    for (Vector& x : parts.back().x) {
      for (double& value : x) value = std::copysign(value != 0 ? 1.0 : 0.0, value);
    }
    all.features += features;
  }
  std::vector<Curvature> models;
  std::vector<Choice> choices;
  std::vector<char> current;
  std::size_t first = 0;
  for (const Sample& s : parts) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      Vector x(all.features);
      std::copy(s.x[i].begin(), s.x[i].end(), x.begin() + static_cast<std::ptrdiff_t>(first));
      all.x.push_back(x);
      all.margin.push_back(s.margin[i]);
      all.slope.push_back(s.slope[i]);
      all.curvature.push_back(s.curvature[i]);
    }
    first += s.features;
    models.push_back(model_of(s));
  }
  for (std::size_t c = 0; c < parts.size(); ++c) {
    choices.push_back({&models[c], flags(parts[c], any_set(parts[c])), flags(parts[c], 0)});
    current.insert(current.end(), choices[c].current.begin(), choices[c].current.end());
  }
  const auto k = *rc::gen::inRange<std::uint64_t>(0, all.features + 2);
  const SparseWeights one = choose_in(model_of(all), k, current, flags(all, 0), 1);
  Vector expected(all.features);
  for (std::size_t i = 0; i < one.slots.size(); ++i) {
    expected[one.slots[i] / 3 - 1] = one.weights[i];
  }
  const std::vector<SparseWeights> got = choose(k, choices, 1);
  Vector together;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    Vector own(parts[c].features);
    for (std::size_t i = 0; i < got[c].slots.size(); ++i) {
      own[got[c].slots[i] / 3 - 1] = got[c].weights[i];
    }
    together.insert(together.end(), own.begin(), own.end());
  }
  for (std::size_t j = 0; j < all.features; ++j) {
    RC_ASSERT(std::fabs(together[j] - expected[j]) <= 1e-9 * (1 + std::fabs(expected[j])));
  }
}

// One that is alone was exchanged for the best, wherever the search began.
RC_GTEST_PROP(BudgetCurvature, OneFeatureIsTheBestOfAll, ()) {
  const Sample s = any_sample(*rc::gen::element(0.4, 1.0));
  const Set got = set_of(choose_in(model_of(s), 1, flags(s, any_set(s)), flags(s, 0), s.scale));
  const double q = minimum(s, got).q;
  for (std::size_t j = 0; j < s.features; ++j) {
    RC_ASSERT(q <= minimum(s, Set{1} << j).q + 1e-9 * std::fabs(q));
  }
}

// The features of `among` in the order of Q with the bit of each turned over: the first is best.
std::size_t best_turn(const Sample& s, Set set, Set among) {
  std::size_t best = s.features;
  for (std::size_t j = 0; j < s.features; ++j) {
    if ((among >> j & 1) == 0) continue;
    if (best == s.features ||
        minimum(s, set ^ Set{1} << j).q < minimum(s, set ^ Set{1} << best).q) {
      best = j;
    }
  }
  return best;
}

// Neither the best addition makes another one superfluous, nor is there a better one for the least.
RC_GTEST_PROP(BudgetCurvature, TheSearchEndsWhereNeitherKindOfSwapHelps, ()) {
  const Sample s = any_sample(*rc::gen::element(0.4, 1.0));
  const Set all = (Set{1} << s.features) - 1;
  const Set kept = any_set(s) & any_set(s) & any_set(s);
  const auto k = *rc::gen::inRange<std::size_t>(size_of(kept), s.features + 1);
  const Set got = set_of(choose_in(model_of(s), k, flags(s, any_set(s)), flags(s, kept), s.scale));
  RC_ASSERT(size_of(got) == k);
  RC_ASSERT((got & kept) == kept);  // whatever they cost
  const double q = minimum(s, got).q;
  const double slack = 1e-9 * std::fabs(q);
  if (got == all || (got & ~kept) == 0) return;
  const Set more = got | Set{1} << best_turn(s, got, all & ~got);
  const Set added = more & ~(Set{1} << best_turn(s, more, more & ~kept));
  RC_ASSERT(minimum(s, added).q >= q - slack);
  const Set fewer = got & ~(Set{1} << best_turn(s, got, got & ~kept));
  const Set dropped = fewer | Set{1} << best_turn(s, fewer, all & ~fewer);
  RC_ASSERT(minimum(s, dropped).q >= q - slack);
}

// Swaps only ever improve on dropping the least useful one after the other.
RC_GTEST_PROP(BudgetCurvature, IsAtLeastAsGoodAsDroppingAlone, ()) {
  const Sample s = any_sample(1);
  const Set all = (Set{1} << s.features) - 1;
  const auto k = *rc::gen::inRange<std::size_t>(1, s.features + 1);
  const double q =
      minimum(s, set_of(choose_in(model_of(s), k, flags(s, all), flags(s, 0), s.scale))).q;
  Set greedy = all;
  while (size_of(greedy) > k) greedy ^= Set{1} << best_turn(s, greedy, greedy);
  RC_ASSERT(q <= minimum(s, greedy).q + 1e-9 * std::fabs(q));
}

// How far that is from the best of all subsets, and whether any swap of two, not only of the
// likeliest, would still help: seldom.
TEST(BudgetCurvature, IsNearlyAlwaysTheBestSubset) {
  int cases = 0, best = 0, swap_optimal = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Sample s = sample(7, 30, 1, seed % 2 == 0, seed);
    const Set all = (Set{1} << s.features) - 1;
    const Set got = set_of(choose_in(model_of(s), 3, flags(s, all), flags(s, 0), s.scale));
    const double q = minimum(s, got).q;
    double lowest = q, lowest_swap = q;
    for (Set set = 0; set <= all; ++set) {
      if (size_of(set) != 3) continue;
      lowest = std::min(lowest, minimum(s, set).q);
      if (size_of(set & got) == 2) lowest_swap = std::min(lowest_swap, minimum(s, set).q);
    }
    ++cases;
    best += lowest >= q - 1e-9 * std::fabs(q) ? 1 : 0;
    swap_optimal += lowest_swap >= q - 1e-9 * std::fabs(q) ? 1 : 0;
  }
  RecordProperty("best", best);
  RecordProperty("swap_optimal", swap_optimal);
  EXPECT_GE(best, cases * 9 / 10) << swap_optimal;
  EXPECT_GE(swap_optimal, cases * 95 / 100);
}

TEST(BudgetCurvature, ClearForgetsTheRows) {
  const Sample s = sample(5, 20, 1, true, 3);
  Curvature model = model_of(s);
  model.clear();
  const SparseWeights got = choose_in(model, 2, flags(s, 31), flags(s, 0), 1);
  EXPECT_EQ(got.weights, Vector(2));
  EXPECT_EQ(got.intercept, 0);
}

}  // namespace
}  // namespace thresh::curvature_law
