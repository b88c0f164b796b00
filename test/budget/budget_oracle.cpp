// budget against its dense twin, and what it promises.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "budget/budget_twin.hpp"
#include "tools/scratch.hpp"

namespace thresh::budget_oracle {
namespace {

// Continuous values: the twins must not be told apart by ties.
Case any_budget_case() {
  Case c = any_case("budget");
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (auto& row : c.data.x) {
    for (double& x : row) x = x == 0 ? 0 : random.normal();
  }
  c.options.features = *rc::gen::inRange<std::uint64_t>(1, c.data.features + 2);
  c.options.lambda = 0.1;  // unused, but then zeros must be where the twin has them
  return c;
}

void expect_the_twins_model(const Case& c) {
  const std::optional<Dense> expected = BudgetTwin(c).run();
  RC_PRE(expected.has_value());
  expect_twin(c, *expected);
}

RC_GTEST_PROP(BudgetSolver, EqualsItsDenseTwin, ()) {
  expect_the_twins_model(any_budget_case());
}

RC_GTEST_PROP(BudgetSolver, EqualsItsDenseTwinWithWeights, ()) {
  Case c = any_budget_case();
  c.options.balanced_classes = false;
  std::string lines;
  double total = 0;
  for (double& s : c.data.s) {
    s = any_between(0.1, 3);
    lines += text(s) + "\n";
    total += s;
  }
  for (double& s : c.data.s) s /= total / static_cast<double>(c.data.s.size());
  const ScratchDir scratch;
  c.options.weights_file = scratch.write("weights", lines);
  expect_the_twins_model(c);
}

// A wrong unit makes a row far longer than the others; it counts for less.
RC_GTEST_PROP(BudgetSolver, EqualsItsDenseTwinWithALongRow, ()) {
  Case c = any_budget_case();
  RC_PRE(*c.options.loss == Loss::hinge);  // unbounded slopes would carry rounding to other rows
  for (double& x : c.data.x.back()) x *= any_between(1e3, 4e3);
  expect_the_twins_model(c);
}

// Rows enough for every stage to have several, and features that the labels follow: the selection
// itself decides, not the last few rows.
RC_GTEST_PROP(BudgetSolver, EqualsItsDenseTwinOverManyRows, ()) {
  Case c = any_budget_case();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  c.data = random_problem(20 + random.below(60), 6 + random.below(10), 0.7, random.below(1u << 30));
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    Vector& x = c.data.x[i];
    for (double& value : x) value *= 1 + random.uniform();
    if (i >= 2) c.data.y[i] = x[0] - x[1] + 0.5 * x[2] + random.normal() > 0 ? 1 : -1;
  }
  if (c.options.balanced_classes) balance(c);
  c.options.dim = c.data.features;
  c.options.features = 1 + random.below(c.data.features);
  c.options.steps.reset();
  c.options.passes = 4 + random.below(20);
  expect_the_twins_model(c);
}

TEST(BudgetSolver, FindsTheFeaturesThatMatter) {
  // Only features 3, 7 and 11 decide, the other 197 are noise; all have different scales.
  DenseProblem data = random_problem(2000, 200, 1, 5);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const Vector& x = data.x[i];
    data.y[i] = 2 * x[3] - 2 * x[7] + x[11] > 0 ? 1 : -1;
  }
  Options options;
  options.solver = "budget";
  options.features = 3;
  options.passes = 20;
  const Model model = fit(plain_problem(data), options).model;
  ASSERT_EQ(model.coefficients.size(), 3u);
  EXPECT_EQ(model.coefficients[0].index, 4u);
  EXPECT_EQ(model.coefficients[1].index, 8u);
  EXPECT_EQ(model.coefficients[2].index, 12u);
}

// More features than the quadratic model takes: the threshold must let the right ones through.
TEST(BudgetSolver, FindsThemAmongMoreThanTheCandidates) {
  DenseProblem data = random_problem(1500, 1200, 0.05, 6);
  Random random(7);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    Vector& x = data.x[i];
    for (const std::size_t j : {3, 700, 1100}) x[j] = random.normal();
    data.y[i] = 2 * x[3] - 2 * x[700] + x[1100] > 0 ? 1 : -1;
  }
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    SCOPED_TRACE(name_of(loss));
    Options options;
    options.solver = "budget";
    options.features = 3;
    options.loss = loss;
    options.passes = 20;
    const Model model = fit(plain_problem(data), options).model;
    ASSERT_EQ(model.coefficients.size(), 3u);
    EXPECT_EQ(model.coefficients[0].index, 4u);
    EXPECT_EQ(model.coefficients[1].index, 701u);
    EXPECT_EQ(model.coefficients[2].index, 1101u);
  }
}

// A budget above 512 never sees the quadratic model.
TEST(BudgetSolver, EqualsItsTwinAboveTheCandidates) {
  Case c;
  c.data = random_problem(90, 700, 0.3, 9);
  Random random(3);
  for (Vector& x : c.data.x) {
    for (double& value : x) value *= 1 + random.uniform();
  }
  c.options.solver = "budget";
  c.options.loss = Loss::logistic;
  c.options.features = 530;
  c.options.passes = 4;
  const std::optional<Dense> expected = BudgetTwin(c).run();
  ASSERT_TRUE(expected);
  expect_weights(fit(plain_problem(c.data), c.options).model, expected->w, expected->b, 1e-9);
}

TEST(BudgetSolver, TheScaleOfTheDataDoesNotMatter) {
  const DenseProblem data = random_problem(300, 20, 0.5, 8);
  DenseProblem scaled = data;
  for (Vector& x : scaled.x) {
    for (double& value : x) value *= 1024;
  }
  Options options;
  options.solver = "budget";
  options.features = 5;
  const Model one = fit(plain_problem(data), options).model;
  const Model other = fit(plain_problem(scaled), options).model;
  ASSERT_EQ(one.coefficients.size(), other.coefficients.size());
  for (std::size_t j = 0; j < one.coefficients.size(); ++j) {
    EXPECT_EQ(one.coefficients[j].index, other.coefficients[j].index);
    EXPECT_NEAR(one.coefficients[j].weight, 1024 * other.coefficients[j].weight, 1e-9);
  }
}

// A power of two scales without rounding, so every choice on the way must be the same. More
// features than there are candidates for the quadratic model, so that steps of all kinds are taken.
TEST(BudgetSolver, TheScaleOfTheTargetsDoesNotMatter) {
  DenseProblem data = random_problem(300, 700, 0.05, 8);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.y[i] = 3 * data.x[i][0] - data.x[i][1] + 0.5;
  DenseProblem scaled = data;
  for (double& y : scaled.y) y *= 1048576;
  Options options;
  options.solver = "budget";
  options.task = Task::regression;
  for (const std::uint64_t features : {5, 600}) {
    options.features = features;
    const Model one = fit(plain_problem(data), options).model;
    const Model other = fit(plain_problem(scaled), options).model;
    EXPECT_EQ(one.intercept * 1048576, other.intercept);
    ASSERT_EQ(one.coefficients.size(), other.coefficients.size());
    for (std::size_t j = 0; j < one.coefficients.size(); ++j) {
      EXPECT_EQ(one.coefficients[j].index, other.coefficients[j].index);
      EXPECT_EQ(one.coefficients[j].weight * 1048576, other.coefficients[j].weight);
    }
  }
}

TEST(BudgetSolver, AnInterruptedRunKeepsToItsBudget) {
  const DenseProblem data = random_problem(5000, 50, 0.5, 8);
  std::atomic<bool> stop = true;  // after the first span of rows
  Options options;
  options.solver = "budget";
  options.features = 5;
  options.stop = &stop;
  const FitResult result = fit(plain_problem(data), options);
  EXPECT_EQ(result.status.outcome, Outcome::stopped);
  EXPECT_EQ(result.model.coefficients.size(), 5u);
}

}  // namespace
}  // namespace thresh::budget_oracle
