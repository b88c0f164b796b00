// Both forms of the quadratic model, by its matrix and by its rows, against its definition while
// features go in and out.

#include "solvers/budget/pivots.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "budget/curvature_sample.hpp"

namespace thresh::pivots_law {
namespace {

bool is_near(double got, double expected, double scale = 0) {
  return std::fabs(got - expected) <= 1e-8 * (1 + std::fabs(expected) + std::fabs(scale));
}

// All that the search asks for.
void expect_definition(const CurvatureSample& s, FeatureSet inside, const Pivots& model) {
  const Minimum now = minimum(s, inside);
  for (std::size_t j = 0; j < s.features; ++j) {
    const bool in = (inside >> j & 1) != 0;
    RC_ASSERT(model.inside(j) == in);
    if (in) RC_ASSERT(is_near(model.weight(j), now.w[j]));
    const double change = std::fabs(minimum(s, inside ^ FeatureSet{1} << j).q - now.q);
    RC_ASSERT(is_near(model.worth(j) / 2, change, now.q));
  }
  if (s.intercept) RC_ASSERT(is_near(model.weight(s.features), now.w.back()));
}

void turn_and_compare(const CurvatureSample& s, Pivots& model) {
  if (s.intercept) model.turn(s.features);
  FeatureSet inside = 0;
  expect_definition(s, inside, model);
  const auto turns = *rc::gen::container<std::vector<std::size_t>>(
      12, rc::gen::inRange<std::size_t>(0, s.features));
  for (const std::size_t j : turns) {
    model.turn(j);
    inside ^= FeatureSet{1} << j;
    expect_definition(s, inside, model);
  }
}

CurvatureSample few_rows() {
  const auto features = *rc::gen::inRange<std::size_t>(4, 14);
  const auto rows = *rc::gen::inRange<std::size_t>(0, features / 4 + 1);
  return sample(features, rows, *rc::gen::element(0.3, 1.0), *rc::gen::arbitrary<bool>(),
                *rc::gen::arbitrary<std::uint64_t>());
}

RC_GTEST_PROP(BudgetPivots, ByRowsAreTheDefinition, ()) {
  const CurvatureSample s = few_rows();
  const Curvature model = model_of(s);
  RC_ASSERT(model.has_few_rows());
  turn_and_compare(s, *pivots_by_rows(model, s.scale));
}

RC_GTEST_PROP(BudgetPivots, ByMatrixAreTheDefinition, ()) {
  const CurvatureSample s = *rc::gen::arbitrary<bool>() ? few_rows() : any_sample(0.6);
  turn_and_compare(s, *pivots_by_matrix(model_of(s), s.scale));
}

// Beside values this large 1 is lost.
TEST(BudgetPivots, ValuesMayBeHuge) {
  CurvatureSample s = sample(12, 3, 1, false, 5);
  for (Vector& x : s.x) {
    for (double& value : x) value *= 1e9;
  }
  const auto model = pivots_by_rows(model_of(s), s.scale);
  FeatureSet inside = 0;
  for (const std::size_t j : {4, 7, 7, 9, 4, 9, 2}) {
    model->turn(j);
    inside ^= FeatureSet{1} << j;
    const Minimum now = minimum(s, inside);
    for (std::size_t i = 0; i < s.features; ++i) {
      ASSERT_TRUE(std::isfinite(model->worth(i)) && model->worth(i) >= 0) << i;
      if ((inside >> i & 1) == 0) continue;
      EXPECT_NEAR(model->weight(i) / now.w[i], 1, 1e-2) << i;
    }
  }
}

// A row without a weight counts for nothing in either form.
TEST(BudgetPivots, ARowMayCountForNothing) {
  CurvatureSample s = sample(12, 3, 1, true, 5);
  s.curvature[1] = s.slope[1] = 0;
  const Curvature model = model_of(s);
  const auto rows = pivots_by_rows(model, 1);
  const auto matrix = pivots_by_matrix(model, 1);
  for (const std::size_t j : {12, 3, 7}) {
    rows->turn(j);
    matrix->turn(j);
  }
  for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(rows->worth(j), matrix->worth(j), 1e-9);
}

// More rows than wait together, of many candidates and of few.
TEST(BudgetPivots, RowsThatWaitedAreInTheMatrix) {
  for (const double density : {0.1, 0.5, 1.0}) {
    const CurvatureSample s = sample(300, 200, density, true, 9);
    const Curvature model = model_of(s);
    EXPECT_FALSE(model.has_few_rows());
    const std::vector<double> got = model.system(s.scale);
    const std::size_t side = s.features + 2;
    std::vector<Vector> x = s.x;
    for (Vector& row : x) row.push_back(1);
    Vector ridges = budget_ridges(s.x, s.features);
    ridges.push_back(1e-3);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j <= i && j + 1 < side; ++j) {
        double expected = i == j ? ridges[j] : 0;
        for (std::size_t k = 0; k < s.x.size(); ++k) {
          const double response = s.curvature[k] * s.margin[k] - s.slope[k];
          expected += s.scale * x[k][j] * (i + 1 < side ? s.curvature[k] * x[k][i] : response);
        }
        ASSERT_NEAR(got[i * side + j], expected, 1e-9) << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace thresh::pivots_law
