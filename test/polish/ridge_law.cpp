// What ridge problems promise beside their optimum: margins and loss, the method, and when a fit
// gives up.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/ridge_case.hpp"

namespace thresh::ridge_law {
namespace {

using Method = RidgeProblem::Method;

RC_GTEST_PROP(RidgeProblem, KnowsMarginsAndLoss, ()) {
  const RidgeCase c = any_ridge_case();
  const RidgeModel model = c.fit();
  const Vector margins = c.problem().margins(model);
  const Dense at{model.weights, model.intercept};
  RC_ASSERT(margins.size() == c.data.x.size());
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double expected = margin(c.data, at, i);
    RC_ASSERT(std::fabs(margins[i] - expected) <= 1e-12 * (1 + std::fabs(expected)));
  }
  const double loss = ridge_objective(c.data, c.loss, {}, model);
  RC_ASSERT(std::fabs(c.problem().loss(model) - loss) <= 1e-11 * loss);
}

RC_GTEST_PROP(RidgeProblem, HasOneRidgeForAllColumnsIfGivenOne, ()) {
  RidgeCase c = any_ridge_case();
  c.ridges.assign(c.data.features, 0.3);
  const RidgeModel got = c.problem().fit(0.3, c.start);
  RC_ASSERT(got.weights == c.fit().weights);
  RC_ASSERT(got.intercept == c.fit().intercept);
}

// A fit that cannot get below a limit ends above it, before its optimum or there. One that can is
// not disturbed by it.
RC_GTEST_PROP(RidgeProblem, GivesUpOnlyAboveTheLimit, ()) {
  const RidgeCase c = any_ridge_case();
  const RidgeModel whole = c.fit();
  FitEnd end;
  end.below = whole.objective * *rc::gen::element(0.1, 0.9, 0.999);
  const RidgeModel stopped = c.problem().fit(c.ridges, c.start, end);
  RC_ASSERT(stopped.objective >= whole.objective * (1 - 1e-9));
  for (const double above : {1 + 1e-6, 1.001, 1.1, 2.0, 1e9}) {
    end.below = whole.objective * above;
    RC_ASSERT(c.problem().fit(c.ridges, c.start, end).weights == whole.weights);
  }
}

// At the first step of a fit from zero, most of the objective is still to be gained.
TEST(RidgeProblem, GivesUpEarly) {
  const SupportMatrix matrix = matrix_of(random_problem(200, 5, 0.5, 1));
  const RidgeProblem problem(matrix, matrix.labels, LossFunction(Loss::logistic), true);
  FitEnd end;
  end.below = 1;
  const double whole = problem.fit(0.1, {}).objective;
  EXPECT_GT(problem.fit(0.1, {}, end).objective, whole * (1 + 1e-6));
}

Method method_for(std::size_t rows, const Vector& ridges) {
  const SupportMatrix matrix = matrix_of(random_problem(rows, ridges.size(), 0, 1));
  return RidgeProblem(matrix, matrix.labels, LossFunction(Loss::logistic), true).method(ridges);
}

TEST(RidgeProblem, ChoosesTheMethodBySize) {
  EXPECT_EQ(method_for(10, Vector(64, 0.1)), Method::columns);
  EXPECT_EQ(method_for(64, Vector(65, 0.1)), Method::rows);
  EXPECT_EQ(method_for(65, Vector(65, 0.1)), Method::conjugates);
  EXPECT_EQ(method_for(512, Vector(600, 0.1)), Method::rows);
  EXPECT_EQ(method_for(513, Vector(600, 0.1)), Method::conjugates);
  Vector different(65, 0.1);
  different.back() = 0.2;
  EXPECT_EQ(method_for(10, different), Method::conjugates);
  EXPECT_EQ(method_for(0, {}), Method::columns);
}

// Values too large for the method by rows, compared with the ridge.
TEST(RidgeProblem, ChoosesTheMethodByTheSizeOfValues) {
  const SupportMatrix matrix = matrix_of(random_problem(20, 70, 0.5, 1));
  const RidgeProblem small(matrix, matrix.labels, LossFunction(Loss::logistic), true);
  EXPECT_EQ(small.method(Vector(70, 0.1)), Method::rows);
  EXPECT_EQ(small.method(Vector(70, 1e-12)), Method::conjugates);
  SupportMatrix larger = matrix;
  larger.values[3] = 1e5;
  const RidgeProblem large(larger, larger.labels, LossFunction(Loss::logistic), true);
  EXPECT_EQ(large.method(Vector(70, 0.1)), Method::conjugates);
}

}  // namespace
}  // namespace thresh::ridge_law
