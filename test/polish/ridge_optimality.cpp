// Ridge fits: the gradient of the objective vanishes, by dense sums. Squared loss is also compared
// with its normal equations.
//
// A fit stops when a Newton step promises to lower the objective P by less than 1e-9 P. The promise
// is g' H^-1 g, or nearly so by conjugate gradients; it is at least a share 1 / (n + 1) of the sum
// of g_j^2 / H_jj over n weights and the intercept. So that sum is at most 1e-9 (n + 1) P.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/ridge_case.hpp"

namespace thresh::ridge_optimality {
namespace {

using Method = RidgeProblem::Method;

double tolerance(const RidgeCase& c) {
  return 1e-9 * static_cast<double>(c.data.features + 1);
}

void expect_optimum(const RidgeCase& c, const RidgeModel& model) {
  RC_ASSERT(model.weights.size() == c.data.features);
  RC_ASSERT(c.intercept || model.intercept == 0);
  const double objective = ridge_objective(c.data, c.loss, c.ridges, model);
  RC_ASSERT(std::fabs(model.objective - objective) <= 1e-11 * objective);
  RC_ASSERT(distance_to_optimum(c.data, c.loss, c.ridges, c.intercept, model) <=
            tolerance(c) * objective);
}

// Ridges differ from column to column.
RC_GTEST_PROP(RidgeFit, HasNoGradient, ()) {
  const RidgeCase c = any_ridge_case();
  expect_optimum(c, c.fit(Method::columns));
  expect_optimum(c, c.fit(Method::conjugates));
}

RC_GTEST_PROP(RidgeFit, HasNoGradientByRows, ()) {
  const RidgeCase c = any_ridge_case(Ridges::one);
  expect_optimum(c, c.fit(Method::rows));
}

// P is at least rho_j / 2 (w_j - w*_j)^2 above its minimum, and each fit is within its promise.
void expect_same(const RidgeCase& c, const RidgeModel& a, const RidgeModel& b) {
  const double most = tolerance(c) * a.objective;
  RC_ASSERT(std::fabs(a.objective - b.objective) <= most);
  for (std::size_t j = 0; j < c.data.features; ++j) {
    const double off = a.weights[j] - b.weights[j];
    RC_ASSERT(c.ridges[j] * off * off <= 4 * most);
  }
}

RC_GTEST_PROP(RidgeFit, HasTheSameWeightsByEveryMethod, ()) {
  const RidgeCase many = any_ridge_case();
  expect_same(many, many.fit(Method::columns), many.fit(Method::conjugates));
  const RidgeCase one = any_ridge_case(Ridges::one);
  expect_same(one, one.fit(Method::columns), one.fit(Method::rows));
}

// With more rows than columns, or fewer.
RC_GTEST_PROP(RidgeFit, MayHaveManyColumns, ()) {
  const auto rows = *rc::gen::element<std::size_t>(30, 90);
  const RidgeCase c =
      ridge_case(random_problem(rows, 70, 0.1, *rc::gen::arbitrary<std::uint64_t>()),
                 *rc::gen::element(Loss::logistic, Loss::squared_hinge),
                 *rc::gen::element(Ridges::one, Ridges::many));
  const RidgeModel got = c.fit();
  expect_optimum(c, got);
  expect_same(c, c.fit(Method::columns), got);
}

// Each fit leaves a matrix for the next one, at other ridges.
RC_GTEST_PROP(RidgeFit, HasNoGradientAfterOtherFits, ()) {
  RidgeCase c = any_ridge_case();
  RidgeProblem problem = c.problem(Method::conjugates);
  const Vector ridges = c.ridges;
  problem.fit(ridges, c.start);
  for (const double factor : {100.0, 1.0, 0.01}) {
    for (std::size_t j = 0; j < ridges.size(); ++j) c.ridges[j] = factor * ridges[j];
    c.start = problem.fit(c.ridges, c.start);
    expect_optimum(c, c.start);
  }
}

RC_GTEST_PROP(RidgeFit, IsTheSameToTheBitAfterAFreshStart, ()) {
  const RidgeCase c = any_ridge_case();
  RidgeProblem problem = c.problem(Method::conjugates);
  const RidgeModel first = problem.fit(c.ridges, c.start);
  problem.fit(c.ridges, {});
  problem.start_afresh();
  const RidgeModel again = problem.fit(c.ridges, c.start);
  RC_ASSERT(again.weights == first.weights);
  RC_ASSERT(again.intercept == first.intercept);
}

// Solves the equations of the weights and the intercept, which comes last, by elimination.
Vector normal_equations(const RidgeCase& c) {
  const std::size_t n = c.data.features + 1;
  std::vector<Vector> a(n, Vector(n + 1));
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    Vector x = c.data.x[i];
    x.push_back(c.intercept ? 1 : 0);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < n; ++q) a[p][q] += c.data.s[i] * x[p] * x[q];
      a[p][n] += c.data.s[i] * x[p] * c.data.y[i];
    }
  }
  for (std::size_t j = 0; j + 1 < n; ++j) a[j][j] += c.ridges[j];
  if (!c.intercept) a[n - 1][n - 1] = 1;
  for (std::size_t p = 0; p < n; ++p) {  // positive definite: no pivoting is needed
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : a[i][p] / a[p][p];
      for (std::size_t q = 0; q <= n; ++q) a[i][q] -= factor * a[p][q];
    }
  }
  Vector solution;
  for (std::size_t p = 0; p < n; ++p) solution.push_back(a[p][n] / a[p][p]);
  return solution;
}

// One step of Newton's method is exact here. The start is far away, so that a fit must take it.
RC_GTEST_PROP(RidgeFit, OfSquaredLossSolvesTheNormalEquations, ()) {
  const auto method = *rc::gen::element(Method::columns, Method::rows);
  RidgeCase c =
      ridge_case(any_problem(), Loss::squared, method == Method::rows ? Ridges::one : Ridges::many);
  c.start = {Vector(c.data.features, *rc::gen::element(-10.0, 10.0)), 0, 0};
  const Vector expected = normal_equations(c);
  const RidgeModel got = c.fit(method);
  for (std::size_t j = 0; j < c.data.features; ++j) {
    RC_ASSERT(std::fabs(got.weights[j] - expected[j]) <= 1e-5 * (1 + std::fabs(expected[j])));
  }
  RC_ASSERT(std::fabs(got.intercept - expected.back()) <= 1e-5 * (1 + std::fabs(expected.back())));
}

// The log-odds, or the mean.
RC_GTEST_PROP(RidgeFit, WithoutColumnsIsTheConstantModel, ()) {
  DenseProblem data = any_problem();
  data.features = 0;
  const Loss loss = *rc::gen::element(Loss::logistic, Loss::squared);
  const RidgeCase c = ridge_case(data, loss, Ridges::many);
  const RidgeModel got = c.fit(*rc::gen::element(Method::columns, Method::conjugates));
  double positive = 0, negative = 0, sum = 0;
  for (std::size_t i = 0; i < c.data.y.size(); ++i) {
    (c.data.y[i] > 0 ? positive : negative) += c.data.s[i];
    sum += c.data.s[i] * c.data.y[i];
  }
  const double best =
      loss == Loss::logistic ? std::log(positive / negative) : sum / (positive + negative);
  RC_ASSERT(got.weights.empty());
  RC_ASSERT(std::fabs(got.intercept - (c.intercept ? best : 0)) <= 1e-3);
}

}  // namespace
}  // namespace thresh::ridge_optimality
