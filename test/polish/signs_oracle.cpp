// Ridge fits with signs: against projected gradients, slowly.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/ridge_case.hpp"

namespace thresh::signs_oracle {
namespace {

Vector any_signs(std::size_t n) {
  Vector signs(n);
  for (double& sign : signs) sign = *rc::gen::element(-1.0, 0.0, 1.0);
  return signs;
}

// At the optimum no allowed move of a single weight lowers the objective: the slope vanishes, or
// draws a weight of zero to the side that is not allowed. `slack` is of the slopes.
void expect_signed_optimum(const RidgeCase& c, const Vector& signs, const RidgeModel& model,
                           double slack) {
  Dense at{model.weights, model.intercept};
  Dense g{Vector(c.data.features), 0};
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    const double slope = c.data.s[i] * loss_slope(c.loss, margin(c.data, at, i), c.data.y[i]);
    for (std::size_t j = 0; j < c.data.features; ++j) g.w[j] += slope * c.data.x[i][j];
    g.b += slope;
  }
  for (std::size_t j = 0; j < c.data.features; ++j) {
    const double w = model.weights[j];
    const double slope = g.w[j] + c.ridges[j] * w;
    RC_ASSERT(signs[j] * w >= 0);
    if (w != 0 || signs[j] == 0) {
      RC_ASSERT(std::fabs(slope) <= slack);
    } else {
      RC_ASSERT(-slope * signs[j] <= slack);
    }
  }
  if (c.intercept) RC_ASSERT(std::fabs(g.b) <= slack);
}

RC_GTEST_PROP(SignedRidge, HasNoAllowedMoveThatHelps, ()) {
  const Loss loss = *rc::gen::element(Loss::logistic, Loss::squared);
  RidgeCase c = ridge_case(any_problem(), loss, Ridges::many);
  for (double& ridge : c.ridges) ridge = std::max(ridge, 0.01);
  const Vector signs = any_signs(c.data.features);
  RidgeProblem problem = c.problem();
  problem.constrain(signs);
  const RidgeModel model = problem.fit(c.ridges, c.start, FitEnd{1e-14});
  double size = 0;
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    for (const double x : c.data.x[i]) size += c.data.s[i] * (1 + std::fabs(x) + x * x);
  }
  expect_signed_optimum(c, signs, model, 1e-4 * (1 + size));
}

// Weights of the wrong sign are zero, others are those of the problem without their columns.
TEST(SignedRidge, LeavesOutWhatMayNotEnter) {
  DenseProblem data = random_problem(200, 3, 1, 3);
  Random random(1);
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    data.y[i] = data.x[i][0] - 2 * data.x[i][1] + 0.1 * random.normal();
  }
  const SupportMatrix rows = matrix_of(data);
  RidgeProblem problem(rows, data.y, LossFunction(Loss::squared), true);
  problem.constrain({1, 1, 0});
  const RidgeModel model = problem.fit(0.1, {});
  EXPECT_GT(model.weights[0], 0.5);
  EXPECT_EQ(model.weights[1], 0);
  for (auto& x : data.x) x[1] = 0;
  const SupportMatrix fewer = matrix_of(data);
  const RidgeModel free =
      RidgeProblem(fewer, data.y, LossFunction(Loss::squared), true).fit(0.1, {});
  EXPECT_NEAR(model.weights[0], free.weights[0], 1e-6);
  EXPECT_NEAR(model.weights[2], free.weights[2], 1e-6);
  EXPECT_NEAR(model.objective, free.objective, 1e-6 * free.objective);
}

}  // namespace
}  // namespace thresh::signs_oracle
