// The factor that makes probabilities honest, against a search through factors.

#include "select/sharpness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sparse/random.hpp"

namespace thresh::sharpness_law {
namespace {

struct Margins {
  std::vector<double> agreements, weights;  // a label times its margin

  RowScores scores() const {
    RowScores rows;
    for (std::size_t i = 0; i < agreements.size(); ++i) {
      rows.losses.push_back(static_cast<float>(loss(agreements[i])));
      rows.misses.push_back(agreements[i] > 0 ? 0 : 1);
      rows.weights.push_back(static_cast<float>(weights[i]));
    }
    return rows;
  }
  static double loss(double a) { return std::log1p(std::exp(-std::fabs(a))) - std::fmin(a, 0); }
  double loss_times(double factor) const {
    double sum = 0;
    for (std::size_t i = 0; i < agreements.size(); ++i) {
      sum += weights[i] * loss(factor * agreements[i]);
    }
    return sum;
  }
};

// The margins are `sure` times those that the labels were drawn with.
Margins drawn(double sure, std::uint64_t seed) {
  Random random(seed);
  Margins rows;
  for (int i = 0; i < 2000; ++i) {
    const double margin = 3 * random.normal();
    const bool positive = random.uniform() < 1 / (1 + std::exp(-margin));
    rows.agreements.push_back(sure * (positive ? margin : -margin));
    rows.weights.push_back(0.5 + random.uniform());
  }
  return rows;
}

TEST(Sharpness, IsTheFactorWithTheLowestLoss) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Margins rows = drawn(1.5 + static_cast<double>(seed), seed);
    const double got = calibrating_factor(rows.scores());
    const double best = rows.loss_times(got);
    for (double factor = 0.05; factor <= 1; factor += 0.01) {
      EXPECT_LE(best, rows.loss_times(factor) * (1 + 1e-9)) << seed << ", " << factor;
    }
    EXPECT_NEAR(got * (1.5 + static_cast<double>(seed)), 1, 0.2) << seed;
  }
}

TEST(Sharpness, NeverMakesAModelSurer) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(calibrating_factor(drawn(0.3, seed).scores()), 1);
  }
}

// Losses of zero, of rows far on the right side, say nothing against the model.
TEST(Sharpness, LeavesAModelWithoutErrors) {
  const Margins rows{{1, 2, 50, 500}, {1, 1, 1, 1}};
  EXPECT_EQ(calibrating_factor(rows.scores()), 1);
  EXPECT_EQ(calibrating_factor({}), 1);
}

TEST(Sharpness, StaysInRangeWhereTheModelIsWrong) {
  const Margins rows{{-3, -5, 0, -80}, {1, 1, 1, 1}};
  EXPECT_NEAR(calibrating_factor(rows.scores()), 0.05, 1e-6);
}

}  // namespace
}  // namespace thresh::sharpness_law
