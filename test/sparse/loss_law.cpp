// The laws of losses.

#include "loss/loss.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "sparse/random.hpp"

namespace thresh::loss_law {
namespace {

constexpr Loss kLosses[] = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};

struct Point {
  LossFunction loss;
  double y;
};

Point any_point() {
  const Loss kind =
      *rc::gen::element(Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge);
  return {LossFunction(kind), *rc::gen::element(-1.0, 1.0)};
}

double any_margin(double scale) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  return scale * random.normal();
}

TEST(Loss, ValuesAreAsDefined) {
  EXPECT_DOUBLE_EQ(LossFunction(Loss::logistic).value(0, 1), std::log(2));
  EXPECT_DOUBLE_EQ(LossFunction(Loss::logistic).value(2, -1), std::log(1 + std::exp(2)));
  EXPECT_DOUBLE_EQ(LossFunction(Loss::squared).value(3, -1), 8);
  EXPECT_DOUBLE_EQ(LossFunction(Loss::squared).value(0.5, 2.5), 2);
  EXPECT_DOUBLE_EQ(LossFunction(Loss::hinge).value(3, -1), 4);
  EXPECT_DOUBLE_EQ(LossFunction(Loss::hinge).value(3, 1), 0);
  EXPECT_DOUBLE_EQ(LossFunction(Loss::squared_hinge).value(3, -1), 16);
  EXPECT_DOUBLE_EQ(LossFunction(Loss::squared_hinge).value(1, 1), 0);
  EXPECT_EQ(LossFunction(Loss::hinge).slope(1, 1), 0) << "at the kink";
}

RC_GTEST_PROP(Loss, TheSlopeIsWhatDifferencesSay, ()) {
  const auto [loss, y] = any_point();
  const double a = any_margin(3);
  const double h = 1e-5;
  RC_PRE(std::fabs(y * a - 1) > 2 * h);  // no kink in between
  const double difference = (loss.value(a + h, y) - loss.value(a - h, y)) / (2 * h);
  RC_ASSERT(std::fabs(loss.slope(a, y) - difference) < 1e-8 * (1 + std::fabs(a)));
}

RC_GTEST_PROP(Loss, TheSlopeNeverFallsAndRisesNoFasterThanTheBound, ()) {
  const auto [loss, y] = any_point();
  const double a = any_margin(3);
  const double further = a + std::fabs(any_margin(2));
  const double rise = loss.slope(further, y) - loss.slope(a, y);
  const double slack = 1e-14 * (1 + std::fabs(a) + std::fabs(further));
  RC_ASSERT(rise >= -slack);
  if (loss.curvature()) RC_ASSERT(rise <= *loss.curvature() * (further - a) + slack);
}

// The bounds are not larger than they must be.
TEST(Loss, TheBoundIsReached) {
  for (const Loss kind : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    const LossFunction loss(kind);
    const double at = kind == Loss::squared_hinge ? -1 : 0;
    const double rise = (loss.slope(at + 1e-4, 1) - loss.slope(at - 1e-4, 1)) / 2e-4;
    EXPECT_NEAR(rise, *loss.curvature(), 1e-7) << name_of(kind);
  }
  EXPECT_FALSE(LossFunction(Loss::hinge).curvature());
}

// Infinite only where the true value is beyond any double: squares of margins above 1e154.
TEST(Loss, NoMarginIsTooLarge) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    double a = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(2100)) - 1075);
    if (i == 0) a = 1e308;
    if (i == 1) a = -1e308;
    if (i == 2) a = std::numeric_limits<double>::max();
    for (const Loss kind : kLosses) {
      const LossFunction loss(kind);
      for (const double y : {-1.0, 1.0}) {
        const double value = loss.value(a, y);
        const double slope = loss.slope(a, y);
        ASSERT_GE(value, 0) << name_of(kind) << " at " << a;
        ASSERT_FALSE(std::isnan(slope)) << name_of(kind) << " at " << a;
        const bool squares = kind == Loss::squared || kind == Loss::squared_hinge;
        if (!squares || std::fabs(a) < 1e154) {
          ASSERT_TRUE(std::isfinite(value)) << name_of(kind) << " at " << a;
        }
        if (kind != Loss::squared_hinge || std::fabs(a) < 8e307) {
          ASSERT_TRUE(std::isfinite(slope)) << name_of(kind) << " at " << a;
        }
      }
    }
  }
}

// Far out, where 1 + exp(-a) is 1, the loss is still not 0, and the other side is a line.
TEST(Loss, LogisticKeepsItsDigitsInBothTails) {
  const LossFunction loss(Loss::logistic);
  EXPECT_DOUBLE_EQ(loss.value(50, 1), std::exp(-50));
  EXPECT_DOUBLE_EQ(loss.slope(50, 1), -std::exp(-50));
  EXPECT_EQ(loss.value(1e308, -1), 1e308);
  EXPECT_EQ(loss.slope(1e308, -1), 1);
}

TEST(Loss, SumsByWeight) {
  const std::vector<Row> rows = {{nullptr, nullptr, 0, 1, 2, 0}, {nullptr, nullptr, 0, -1, 0.5, 1}};
  EXPECT_DOUBLE_EQ(LossFunction(Loss::hinge).sum(std::vector<double>{0, 3}, rows), 2 * 1 + 0.5 * 4);
}

}  // namespace
}  // namespace thresh::loss_law
