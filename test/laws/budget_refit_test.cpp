// Sets of slots that know their places, and the refit of the weights of one.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "solvers/budget/refit.hpp"
#include "sparse/random.hpp"

namespace thresh {
namespace {

using Slots = std::vector<std::uint32_t>;

// Around the ends of words as well as far apart.
Slots any_slots() {
  const auto end = *rc::gen::element<std::uint32_t>(5, 64, 65, 130, 100'000);
  Slots slots = *rc::gen::container<Slots>(rc::gen::inRange<std::uint32_t>(0, end));
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

RC_GTEST_PROP(BudgetSupport, KnowsThePlacesThatASearchFinds, ()) {
  const Slots slots = any_slots();
  const Support support(slots);
  RC_ASSERT(support.size() == slots.size());
  RC_ASSERT(support.slots() == slots);
  const std::uint32_t end = slots.empty() ? 200 : slots.back() + 200;
  for (std::uint32_t slot = 0; slot < end; ++slot) {
    const auto at = std::lower_bound(slots.begin(), slots.end(), slot);
    const bool member = at != slots.end() && *at == slot;
    const auto place = static_cast<std::uint32_t>(at - slots.begin());
    RC_ASSERT(support.place(slot) == (member ? place : Support::kNone));
  }
}

TEST(BudgetSupport, KnowsTheLargestSlots) {
  const Support support({0, Support::kNone - 1});
  EXPECT_EQ(support.place(0), 0u);
  EXPECT_EQ(support.place(Support::kNone - 1), 1u);
  EXPECT_EQ(support.place(Support::kNone - 2), Support::kNone);
  EXPECT_EQ(Support().place(0), Support::kNone);
}

// A row that owns what it points to.
struct OwnedRow {
  Slots slots;
  std::vector<double> values;
  Row row() const { return {slots.data(), values.data(), slots.size(), 1, 1, 0}; }
};

OwnedRow any_row(std::uint32_t end, Random& random) {
  OwnedRow row;
  for (std::uint32_t slot = 0; slot < end; ++slot) {
    if (random.uniform() < 0.5) continue;
    row.slots.push_back(slot);
    row.values.push_back(random.normal());
  }
  return row;
}

constexpr double kUnit = 0.7;
constexpr double kBeta = 0.4;

// FTRL-Proximal with alpha = 3 and no penalty, on all slots at once; the intercept comes last.
struct NaiveRefit {
  std::vector<double> w, z, n;
  std::vector<std::vector<double>> seen;

  explicit NaiveRefit(const std::vector<double>& start) : w(start), n(start.size()) {
    for (const double each : w) z.push_back(-each * kBeta / 3);
  }
  void learn(const std::vector<double>& x, double slope) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double g = slope * x[j];
      z[j] += g - (std::sqrt(n[j] + g * g) - std::sqrt(n[j])) / 3 * w[j];
      n[j] += g * g;
      w[j] = -3 * z[j] / (kBeta + std::sqrt(n[j]));
    }
    seen.push_back(w);
  }
  std::vector<double> mean(std::size_t from) const {
    if (from >= seen.size()) return w;
    std::vector<double> sum(w.size());
    for (std::size_t t = from; t < seen.size(); ++t) {
      for (std::size_t j = 0; j < w.size(); ++j) sum[j] += seen[t][j];
    }
    for (double& each : sum) each /= static_cast<double>(seen.size() - from);
    return sum;
  }
};

RC_GTEST_PROP(BudgetRefit, GivesTheMeanOfTheWeightsAfterEachRow, ()) {
  const Slots slots = {1, 2, 5, 70};
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const bool intercept = *rc::gen::arbitrary<bool>();
  const auto rows = *rc::gen::inRange<std::size_t>(0, 40);
  const auto from = *rc::gen::inRange<std::size_t>(0, 45);  // may never come
  SparseWeights start{slots, {}, random.normal()};
  std::vector<double> naive_start;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    start.weights.push_back(random.normal());
    naive_start.push_back(start.weights[i] / kUnit);
  }
  naive_start.push_back(start.intercept);
  Refit refit(start, {kUnit, 1}, kBeta, intercept);
  NaiveRefit naive(naive_start);
  for (std::size_t t = 0; t < rows; ++t) {
    if (t == from) refit.begin_mean();
    const OwnedRow row = any_row(80, random);
    std::vector<double> x(slots.size() + 1);
    double margin = naive.w.back();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto at = std::find(row.slots.begin(), row.slots.end(), slots[i]);
      if (at != row.slots.end()) x[i] = row.values[at - row.slots.begin()] * kUnit;
      margin += naive.w[i] * x[i];
    }
    x.back() = intercept ? 1 : 0;
    RC_ASSERT(std::fabs(refit.margin(row.row()) - margin) <= 1e-10 * (1 + std::fabs(margin)));
    const double slope = random.uniform() < 0.3 ? 0 : random.normal();
    refit.learn(slope);
    naive.learn(x, slope);
  }
  const SparseWeights got = refit.weights();
  const std::vector<double> expected = naive.mean(from);
  RC_ASSERT(got.slots == slots);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double want = expected[i] * kUnit;
    RC_ASSERT(std::fabs(got.weights[i] - want) <= 1e-10 * (1 + std::fabs(want)));
  }
  RC_ASSERT(std::fabs(got.intercept - expected.back()) <= 1e-10 * (1 + std::fabs(got.intercept)));
}

// Progress and traces look at the weights on the way: the model must be the same to the last bit.
TEST(BudgetRefit, IsNotChangedByBeingLookedAt) {
  const SparseWeights start{{0, 1, 2}, {0.3, -0.7, 1.1}, 0.1};
  Refit watched(start, {kUnit, 1}, kBeta, true);
  Refit alone(start, {kUnit, 1}, kBeta, true);
  Random random(4);
  for (int t = 0; t < 500; ++t) {
    if (t == 100) watched.begin_mean();
    if (t == 100) alone.begin_mean();
    const OwnedRow row = any_row(3, random);
    const double slope = random.uniform() < 0.8 ? 0 : random.normal();
    watched.margin(row.row());
    watched.learn(slope);
    watched.weights();
    alone.margin(row.row());
    alone.learn(slope);
  }
  EXPECT_EQ(watched.weights().weights, alone.weights().weights);
  EXPECT_EQ(watched.weights().intercept, alone.weights().intercept);
}

}  // namespace
}  // namespace thresh
