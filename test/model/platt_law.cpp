#include "model/platt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "thresh/error.hpp"

namespace thresh::platt_law {
namespace {

struct Rows {
  std::vector<double> margins, y, weights;
  void add(double margin, double label, double weight = 1) {
    margins.push_back(margin);
    y.push_back(label);
    weights.push_back(weight);
  }
  Platt fit() const { return fit_platt(margins, y, weights); }
};

// The regularised target of each row, as in the paper.
std::vector<double> targets(const Rows& rows) {
  double positives = 0, negatives = 0;
  for (size_t i = 0; i < rows.y.size(); ++i) {
    (rows.y[i] > 0 ? positives : negatives) += rows.weights[i];
  }
  std::vector<double> t = rows.y;
  for (double& y : t) y = y > 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2);
  return t;
}

long double cross_entropy(const Rows& rows, const Platt& at) {
  const std::vector<double> t = targets(rows);
  long double sum = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    const long double z = static_cast<long double>(at.slope) * rows.margins[i] + at.offset;
    const long double softplus = std::max(z, 0.0L) + std::log1p(std::exp(-std::abs(z)));
    sum += rows.weights[i] * (softplus - t[i] * z);
  }
  return sum;
}

// The gradient vanishes, measured against the largest it could be. The objective is convex, so
// that this is the optimum.
void expect_stationary(const Rows& rows, const Platt& at, double tolerance) {
  const std::vector<double> t = targets(rows);
  long double slope = 0, offset = 0, slope_size = 0, offset_size = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    const long double z = static_cast<long double>(at.slope) * rows.margins[i] + at.offset;
    const long double term = rows.weights[i] * (1 / (1 + std::exp(-z)) - t[i]);
    slope += term * rows.margins[i];
    offset += term;
    slope_size += rows.weights[i] * std::abs(rows.margins[i]);
    offset_size += rows.weights[i];
  }
  EXPECT_LE(std::abs(slope), tolerance * slope_size);
  EXPECT_LE(std::abs(offset), tolerance * offset_size);
}

Rows random_rows(Random& random) {
  Rows rows;
  rows.add(0.5, +1);
  rows.add(-0.5, -1);
  const double scale = std::exp(6 * random.normal());
  const double shift = 3 * random.normal();
  const double noise = 4 * random.uniform();
  const bool heavy_tails = random.below(3) == 0;
  for (uint64_t i = random.below(300); i > 0; --i) {
    double signal = random.normal();
    if (heavy_tails) signal /= random.uniform() + 1e-6;
    const double y = signal + noise * random.normal() > 0 ? +1 : -1;
    rows.add(scale * (signal + shift), y, static_cast<double>(random.below(3)) + random.uniform());
  }
  return rows;
}

TEST(Platt, EndsWhereTheGradientVanishes) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const Rows rows = random_rows(random);
    expect_stationary(rows, rows.fit(), 1e-11);
  }
}

TEST(Platt, BeatsEveryNeighbourOnAGrid) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    Rows rows = random_rows(random);
    // Outliers, once they are past doubt, leave the slope to rows that hardly differ beside them.
    if (round % 2 == 1) rows.add(1e8, +1, 1e5);
    if (round % 4 == 1) rows.add(-3e8, -1, 1e5);
    const Platt best = rows.fit();
    const long double lowest = cross_entropy(rows, best);
    for (const double step : {1.0, 1e-2, 1e-4}) {
      for (int i = -3; i <= 3; ++i) {
        for (int j = -3; j <= 3; ++j) {
          const Platt other{best.slope * (1 + step * i), best.offset + step * j};
          EXPECT_GE(cross_entropy(rows, other), lowest * (1 - 1e-13));
        }
      }
    }
  }
}

TEST(Platt, FindsTheParametersTheLabelsWereDrawnWith) {
  Random random(6);
  const Platt truth{-2.5, 0.75};
  Rows rows;
  for (int i = 0; i < 200000; ++i) {
    const double margin = random.normal();
    rows.add(margin, random.uniform() < truth.probability(margin) ? +1 : -1);
  }
  const Platt fit = rows.fit();
  EXPECT_NEAR(fit.slope, truth.slope, 0.05);
  EXPECT_NEAR(fit.offset, truth.offset, 0.05);
}

TEST(Platt, MapsTwoPointsToTheirTargets) {
  Rows rows;
  rows.add(3, +1, 8);
  rows.add(-1, -1, 2);
  const Platt fit = rows.fit();
  EXPECT_NEAR(fit.probability(3), 9.0 / 10, 1e-12);
  EXPECT_NEAR(fit.probability(-1), 1.0 / 4, 1e-12);
}

TEST(Platt, TakesAWeightAsThatManyRows) {
  Random random(7);
  Rows weighted, repeated;
  for (int i = 0; i < 50; ++i) {
    const double margin = random.normal();
    const double y = margin + random.normal() > 0 ? +1 : -1;
    const uint64_t weight = random.below(4);
    weighted.add(margin, y, static_cast<double>(weight));
    for (uint64_t copy = 0; copy < weight; ++copy) repeated.add(margin, y);
  }
  EXPECT_NEAR(weighted.fit().slope, repeated.fit().slope, 1e-10);
  EXPECT_NEAR(weighted.fit().offset, repeated.fit().offset, 1e-10);
}

TEST(Platt, StaysFiniteOnSeparableData) {
  Rows rows;
  for (int i = 0; i < 100000; ++i) {
    const double y = i % 2 == 0 ? +1 : -1;
    rows.add(y * (1 + i * 1e-6), y);
  }
  EXPECT_NEAR(rows.fit().slope, 12, 5);
  expect_stationary(rows, rows.fit(), 1e-11);
}

TEST(Platt, FollowsTheScaleAndShiftOfTheMargins) {
  Random random(8);
  Rows plain;
  for (int i = 0; i < 200; ++i) {
    const double margin = random.normal();
    plain.add(margin, margin + random.normal() > 0 ? +1 : -1);
  }
  const Platt expected = plain.fit();
  for (const auto& [scale, shift] :
       {std::pair{1e-300, 0.0}, {1e300, 0.0}, {4e307, 0.0}, {1.0, 1e7}}) {
    Rows moved = plain;
    for (double& margin : moved.margins) margin = margin * scale + shift;
    EXPECT_NEAR(moved.fit().slope * scale, expected.slope, 1e-5) << scale;
    EXPECT_NEAR(moved.fit().logit(shift), expected.offset, 1e-5) << scale;
  }
}

TEST(Platt, SurvivesDenormalAndOppositeHugeMargins) {
  for (const double margin : {5e-324, 1e300, std::numeric_limits<double>::max()}) {
    Rows rows;
    rows.add(margin, +1);
    rows.add(-margin, -1);
    const Platt fit = rows.fit();
    EXPECT_TRUE(std::isfinite(fit.slope) && std::isfinite(fit.logit(margin))) << margin;
    EXPECT_GT(fit.logit(margin), 0) << margin;
  }
}

TEST(Platt, GivesTheClassSharesIfMarginsSayNothing) {
  for (const double margin : {0.0, 0.1, -1e300}) {
    Rows rows;
    for (int i = 0; i < 30; ++i) rows.add(margin, i < 10 ? +1 : -1);
    const double expected = (10 * 11.0 / 12 + 20 * 1.0 / 22) / 30;
    EXPECT_EQ(rows.fit().slope, 0) << margin;
    EXPECT_NEAR(rows.fit().probability(margin), expected, 1e-12) << margin;
  }
}

TEST(Platt, NeedsBothClassesAndFiniteMargins) {
  Rows rows;
  EXPECT_THROW(rows.fit(), Error);
  rows.add(1, +1);
  EXPECT_THROW(rows.fit(), Error);
  rows.add(2, -1, 0);
  EXPECT_THROW(rows.fit(), Error);
  rows.weights[1] = 1;
  EXPECT_NO_THROW(rows.fit());
  for (const double margin : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    rows.margins[1] = margin;
    EXPECT_THROW(rows.fit(), Error);
  }
  rows.y.pop_back();
  EXPECT_THROW(rows.fit(), UsageError);
}

TEST(MarginSample, KeepsAShortStreamAsItIs) {
  MarginSample sample(4);
  for (int i = 0; i < 4; ++i) sample.add(i, i < 2 ? -1 : +1, 1 + i);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sample.margins()[i], i);
    EXPECT_EQ(sample.y()[i], i < 2 ? -1 : +1);
    EXPECT_EQ(sample.weights()[i], 1 + i);
  }
  EXPECT_GT(sample.fit().slope, 0);
}

TEST(MarginSample, KeepsRowsWholeAndIsDecidedByTheSeed) {
  MarginSample a(100, 1), again(100, 1), b(100, 2);
  for (int i = 0; i < 1000; ++i) {
    for (MarginSample* sample : {&a, &again, &b}) sample->add(i, i % 2 == 0 ? 1 : -1, 2 * i);
  }
  EXPECT_EQ(a.size(), 100u);
  EXPECT_TRUE(std::ranges::equal(a.margins(), again.margins()));
  EXPECT_FALSE(std::ranges::equal(a.margins(), b.margins()));
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.y()[i], static_cast<int>(a.margins()[i]) % 2 == 0 ? 1 : -1);
    EXPECT_EQ(a.weights()[i], 2 * a.margins()[i]);
  }
}

TEST(MarginSample, TakesEveryRowEquallyOften) {
  std::vector<int> taken(40);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    MarginSample sample(10, seed);
    for (size_t i = 0; i < taken.size(); ++i) sample.add(static_cast<double>(i), 1, 1);
    for (const double margin : sample.margins()) ++taken[static_cast<size_t>(margin)];
  }
  // 1000 expected, with a standard deviation of 27.
  for (const int times : taken) EXPECT_NEAR(times, 1000, 150);
}

}  // namespace
}  // namespace thresh::platt_law
