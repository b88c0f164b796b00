// The refit of the weights of a support.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "budget/owned_row.hpp"
#include "solvers/budget/refit.hpp"

namespace thresh::refit_law {
namespace {

using Slots = std::vector<std::uint32_t>;

constexpr double kUnit = 0.7;
const std::vector<double> kBetas = {0.4, 1.3};

// FTRL-Proximal with alpha = 3 and no penalty, on all slots at once; the intercept comes last.
struct NaiveRefit {
  double beta;
  std::vector<double> w, z, n;
  std::vector<std::vector<double>> seen;

  NaiveRefit(double beta_, const std::vector<double>& start)
      : beta(beta_), w(start), n(start.size()) {
    for (const double each : w) z.push_back(-each * beta / 3);
  }
  void learn(const std::vector<double>& x, double slope) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double g = slope * x[j];
      z[j] += g - (std::sqrt(n[j] + g * g) - std::sqrt(n[j])) / 3 * w[j];
      n[j] += g * g;
      w[j] = -3 * z[j] / (beta + std::sqrt(n[j]));
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

// Rows may be long, so that several stretches of coordinates take their steps.
RC_GTEST_PROP(BudgetRefit, GivesTheMeanOfTheWeightsAfterEachRow, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Slots slots = any_row(*rc::gen::element(6u, 80u, 300u), random).slots;
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
  Refit refit(start, {kUnit, 1}, kBetas, intercept, *rc::gen::arbitrary<bool>(),
              *rc::gen::arbitrary<bool>());
  std::vector<NaiveRefit> naive;
  for (const double beta : kBetas) naive.emplace_back(beta, naive_start);
  for (std::size_t t = 0; t < rows; ++t) {
    if (t == from) refit.begin_mean();
    OwnedRow row = any_row(320, random);
    row.id = t;
    std::vector<double> x(slots.size() + 1);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto at = std::find(row.slots.begin(), row.slots.end(), slots[i]);
      if (at != row.slots.end()) x[i] = row.values[at - row.slots.begin()] * kUnit;
    }
    refit.meet(row.row());
    std::vector<double> slopes;
    for (std::size_t b = 0; b < kBetas.size(); ++b) {
      double margin = naive[b].w.back();
      for (std::size_t i = 0; i < slots.size(); ++i) margin += naive[b].w[i] * x[i];
      RC_ASSERT(std::fabs(refit.margin(b) - margin) <= 1e-10 * (1 + std::fabs(margin)));
      slopes.push_back(random.uniform() < 0.3 ? 0 : random.normal());
    }
    RC_ASSERT(refit.learn([&](std::size_t b) { return slopes[b]; }));
    x.back() = intercept ? 1 : 0;
    for (std::size_t b = 0; b < kBetas.size(); ++b) naive[b].learn(x, slopes[b]);
  }
  for (std::size_t b = 0; b < kBetas.size(); ++b) {
    const SparseWeights got = refit.weights(b);
    const std::vector<double> expected = naive[b].mean(from);
    RC_ASSERT(got.slots == slots);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double want = expected[i] * kUnit;
      RC_ASSERT(std::fabs(got.weights[i] - want) <= 1e-10 * (1 + std::fabs(want)));
    }
    RC_ASSERT(std::fabs(got.intercept - expected.back()) <= 1e-10 * (1 + std::fabs(got.intercept)));
  }
}

// Progress and traces look at the weights on the way: the model must be the same to the last bit.
TEST(BudgetRefit, IsNotChangedByBeingLookedAt) {
  const SparseWeights start{{0, 1, 2}, {0.3, -0.7, 1.1}, 0.1};
  Refit watched(start, {kUnit, 1}, {0.4}, true);
  Refit alone(start, {kUnit, 1}, {0.4}, true);
  Random random(4);
  for (int t = 0; t < 500; ++t) {
    if (t == 100) watched.begin_mean();
    if (t == 100) alone.begin_mean();
    const OwnedRow row = any_row(3, random);
    const double slope = random.uniform() < 0.8 ? 0 : random.normal();
    watched.meet(row.row());
    watched.learn([&](std::size_t) { return slope; });
    watched.weights(0);
    alone.meet(row.row());
    alone.learn([&](std::size_t) { return slope; });
  }
  EXPECT_EQ(watched.weights(0).weights, alone.weights(0).weights);
  EXPECT_EQ(watched.weights(0).intercept, alone.weights(0).intercept);
}

}  // namespace
}  // namespace thresh::refit_law
