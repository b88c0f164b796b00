// The laws of the losses for numbers: poisson, huber, quantile.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "loss/loss.hpp"
#include "sparse/random.hpp"

namespace thresh::number_losses_law {
namespace {

struct Point {
  LossFunction loss;
  double parameter;
  double y, a;
};

double any_between(double low, double high) {
  return low + (high - low) * Random(*rc::gen::arbitrary<std::uint64_t>()).uniform();
}

Point any_point() {
  const Loss kind = *rc::gen::element(Loss::poisson, Loss::huber, Loss::quantile);
  const double parameter = kind == Loss::quantile ? any_between(0.02, 0.98) : any_between(0.1, 5);
  LossFunction loss(kind, parameter);
  if (kind != Loss::poisson && *rc::gen::arbitrary<bool>()) {
    loss = loss.softened(any_between(0.1, 4));
  }
  const double y = kind == Loss::poisson ? std::floor(any_between(0, 9)) : any_between(-5, 5);
  return {loss, parameter, y, any_between(-6, 6)};
}

double least(const Point& p) {
  return p.loss.kind() == Loss::poisson && p.y == 0 ? -std::numeric_limits<double>::infinity()
         : p.loss.kind() == Loss::poisson           ? std::log(p.y)
                                                    : p.y;
}

TEST(LossOfNumbers, ValuesAreAsDefined) {
  const LossFunction poisson(Loss::poisson);
  EXPECT_NEAR(poisson.value(std::log(3.0), 3), 0, 1e-15);
  EXPECT_DOUBLE_EQ(poisson.value(0, 0), 1);
  EXPECT_NEAR(poisson.value(1, 2), std::exp(1) - 2 + 2 * std::log(2) - 2, 1e-15);
  const LossFunction huber(Loss::huber, 2);
  EXPECT_DOUBLE_EQ(huber.value(1, 2.5), 1.125);
  EXPECT_DOUBLE_EQ(huber.value(10, 5), 2 * (5 - 1));
  EXPECT_DOUBLE_EQ(huber.value(0, 5), 2 * (5 - 1));
  const LossFunction quantile(Loss::quantile, 0.9);
  EXPECT_DOUBLE_EQ(quantile.value(1, 3), 1.8);
  EXPECT_DOUBLE_EQ(quantile.value(3, 1), 0.1 * 2);
  EXPECT_EQ(quantile.value(3, 3), 0);
  EXPECT_EQ(quantile.slope(3, 3), 0) << "at the kink";
  EXPECT_DOUBLE_EQ(quantile.slope(3, 1), 0.1);
  EXPECT_DOUBLE_EQ(quantile.slope(1, 3), -0.9);
}

RC_GTEST_PROP(LossOfNumbers, TheSlopeIsWhatDifferencesSay, ()) {
  const auto p = any_point();
  const double h = 1e-5;
  if (p.loss.kind() == Loss::quantile) RC_PRE(std::fabs(p.a - p.y) > 2 * h);
  const double difference = (p.loss.value(p.a + h, p.y) - p.loss.value(p.a - h, p.y)) / (2 * h);
  RC_ASSERT(std::fabs(p.loss.slope(p.a, p.y) - difference) < 1e-4 * (1 + std::fabs(difference)));
}

RC_GTEST_PROP(LossOfNumbers, TheCurvatureIsWhatDifferencesOfSlopesSay, ()) {
  const auto p = any_point();
  const double h = 1e-6;
  const double slope = p.loss.slope(p.a, p.y);
  const double down = p.loss.slope(p.a - h, p.y), up = p.loss.slope(p.a + h, p.y);
  const bool kink = (slope == p.loss.lowest()) != (up == p.loss.lowest()) ||
                    (slope == p.loss.highest()) != (down == p.loss.highest()) ||
                    (slope == p.loss.lowest()) != (down == p.loss.lowest()) ||
                    (slope == p.loss.highest()) != (up == p.loss.highest());
  if (p.loss.kind() != Loss::poisson) RC_PRE(!kink);
  const double curvature = p.loss.curvature(slope, p.y);
  RC_ASSERT(std::fabs(curvature - (up - down) / (2 * h)) < 1e-5 * (1 + curvature));
}

RC_GTEST_PROP(LossOfNumbers, TheSlopeNeverFallsAndRisesNoFasterThanTheBound, ()) {
  const auto p = any_point();
  const double further = p.a + any_between(0, 4);
  const double rise = p.loss.slope(further, p.y) - p.loss.slope(p.a, p.y);
  RC_ASSERT(rise >= 0);
  if (p.loss.curvature()) RC_ASSERT(rise <= *p.loss.curvature() * (further - p.a) + 1e-12);
}

// L*(v) + L(a) >= v a, equal where v is the slope at a.
RC_GTEST_PROP(LossOfNumbers, TheConjugateIsTheSupremum, ()) {
  const auto p = any_point();
  const double v = any_between(0, 1) * p.loss.slope(p.a, p.y);
  RC_ASSERT(p.loss.is_slope(v, p.y));
  const double b = any_between(-6, 6);
  const double size = 1e-12 * (1 + std::fabs(v * b) + p.loss.value(b, p.y) + std::exp(6.0));
  RC_ASSERT(p.loss.conjugate(v, p.y) >= v * b - p.loss.value(b, p.y) - size);
  const double slope = p.loss.slope(p.a, p.y);
  const double at_slope = slope * p.a - p.loss.value(p.a, p.y);
  RC_ASSERT(std::fabs(p.loss.conjugate(slope, p.y) - at_slope) <= size * 1e3);
}

RC_GTEST_PROP(LossOfNumbers, IsLeastAtItsTarget, ()) {
  const auto p = any_point();
  const double target = least(p);
  RC_PRE(std::isfinite(target));
  RC_ASSERT(p.loss.value(target, p.y) <= 1e-14 * (1 + p.y * p.y));
  RC_ASSERT(p.loss.value(p.a, p.y) >= 0);
}

// What soft losses are for: they are never above the loss, and close to it.
RC_GTEST_PROP(LossOfNumbers, ASoftLossIsAlmostTheLoss, ()) {
  const Loss kind = *rc::gen::element(Loss::huber, Loss::quantile);
  const LossFunction loss(kind, any_between(0.1, 0.9));
  const double bend = any_between(0.01, 1);
  const LossFunction soft = loss.softened(bend);
  const double a = any_between(-5, 5);
  const double most = std::max(loss.highest(), -loss.lowest());
  RC_ASSERT(soft.value(a, 1) <= loss.value(a, 1) + 1e-14);
  RC_ASSERT(loss.value(a, 1) <= soft.value(a, 1) + most * most / (2 * bend) + 1e-14);
}

// Its parabola touches the loss and is nowhere below it; of a count above its rate it has the
// minimum of the loss.
RC_GTEST_PROP(LossOfNumbers, TheBroadCurvatureSuitsMarginsFarAway, ()) {
  const auto p = any_point();
  const bool soft =
      p.loss.kind() != Loss::poisson && p.loss.curvature() && *p.loss.curvature() != 1;
  RC_PRE(!soft);
  const double slope = p.loss.slope(p.a, p.y);
  RC_PRE(std::fabs(p.a - p.y) > 1e-3);
  const double c = p.loss.broad_curvature(p.a, slope, p.y, 1e-9);
  RC_ASSERT(c >= 0);
  if (p.loss.kind() == Loss::poisson) {
    if (slope >= 0) RC_ASSERT(std::fabs(c - std::exp(p.a)) <= 1e-12 * (1 + c));
    if (slope < 0) RC_ASSERT(std::fabs(p.a - slope / c - std::log(p.y)) < 1e-9);
    return;
  }
  const double b = any_between(-6, 6);
  const double parabola =
      p.loss.value(p.a, p.y) + slope * (b - p.a) + c / 2 * (b - p.a) * (b - p.a);
  RC_ASSERT(parabola >= p.loss.value(b, p.y) - 1e-9);
}

TEST(LossOfNumbers, NoMarginIsTooLarge) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double a =
        std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(2100)) - 1075);
    for (const double y : {0.0, 3.0, 1e12, 1e300}) {
      for (const Loss kind : {Loss::huber, Loss::quantile}) {
        const LossFunction loss(kind, 0.3);
        ASSERT_TRUE(std::isfinite(loss.slope(a, y))) << name_of(kind) << " at " << a;
        ASSERT_FALSE(std::isnan(loss.value(a, y))) << name_of(kind) << " at " << a;
      }
      const LossFunction poisson(Loss::poisson);
      ASSERT_GE(poisson.value(a, y), 0) << a;
      ASSERT_FALSE(std::isnan(poisson.value(a, y))) << a;
      if (a > 800) {
        ASSERT_TRUE(std::isinf(poisson.value(a, y))) << a;
      }
      ASSERT_FALSE(std::isnan(poisson.slope(a, y))) << a;
    }
  }
}

}  // namespace
}  // namespace thresh::number_losses_law
