// One row that is far longer than all others: among the first ones, by which rows are measured, or
// when nobody expects it any more.

#include <gtest/gtest.h>

#include <cmath>

#include "thresh/select.hpp"
#include "tools/every_solver.hpp"

namespace thresh::long_rows_edge {
namespace {

constexpr std::size_t kLong = 2500;  // behind the first block, by which rows are measured

// Features 4, 8 and 12 decide; one row is `times` as long as it was.
DenseProblem three_decide(double times, Task task = Task::classification,
                          std::size_t which = kLong) {
  DenseProblem data = random_problem(3000, 60, 0.3, 11);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double sum = data.x[i][3] - data.x[i][7] + data.x[i][11];
    data.y[i] = task == Task::regression ? sum : sum > 0.1 ? 1 : -1;
  }
  for (double& value : data.x[which]) value *= times;
  return data;
}

Options three_features(Loss loss) {
  Options options;
  options.solver = "budget";
  options.features = 3;
  options.passes = 0;
  options.loss = loss;
  return options;
}

void expect_finite(const Model& model) {
  for (const Coefficient& each : model.coefficients) EXPECT_TRUE(std::isfinite(each.weight));
  EXPECT_TRUE(std::isfinite(model.intercept));
}

void expect_the_three(const Model& model) {
  std::vector<std::uint64_t> features;
  for (const Coefficient& each : model.coefficients) features.push_back(each.index);
  EXPECT_EQ(features, (std::vector<std::uint64_t>{4, 8, 12}));
}

TEST(LongRows, DoNotSpoilASelection) {
  for (const double times : {1.0, 1e3, 1e6, 1e9, 1e15, 1e50, 1e90}) {
    SCOPED_TRACE(times);
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge, Loss::squared}) {
      SCOPED_TRACE(name_of(loss));
      const FitResult result = fit(to_problem(three_decide(times)), three_features(loss));
      EXPECT_EQ(result.status.outcome, Outcome::passes_spent) << result.status.reason;
      expect_finite(result.model);
      // Under squared loss a row a thousand times as long weighs as much as a million others.
      if (loss != Loss::squared) expect_the_three(result.model);
    }
    Options values = three_features(Loss::squared);
    values.task = Task::regression;
    const FitResult result = fit(to_problem(three_decide(times, Task::regression)), values);
    EXPECT_EQ(result.status.outcome, Outcome::passes_spent) << result.status.reason;
    expect_the_three(result.model);
  }
}

TEST(LongRows, AreNotTheMeasureOfOthers) {
  for (const double times : {1e3, 1e5, 1e9, 1e15}) {
    SCOPED_TRACE(times);
    for (const Loss loss : {Loss::logistic, Loss::squared_hinge}) {
      const DenseProblem data = three_decide(times, Task::classification, 5);
      const FitResult result = fit(to_problem(data), three_features(loss));
      EXPECT_EQ(result.status.outcome, Outcome::passes_spent) << result.status.reason;
      expect_finite(result.model);
      expect_the_three(result.model);
    }
  }
}

TEST(LongRows, AreNamed) {
  EXPECT_TRUE(fit(to_problem(three_decide(100)), three_features(Loss::logistic)).warnings.empty());
  const FitResult result = fit(to_problem(three_decide(1e9)), three_features(Loss::logistic));
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_TRUE(result.warnings[0].starts_with("row 2501 is ")) << result.warnings[0];
  EXPECT_NE(result.warnings[0].find("wrong units or typing"), std::string::npos)
      << result.warnings[0];
  // Dense columns have units of their own, which one length for all rows would spoil.
  EXPECT_EQ(result.warnings[0].find("--normalize"), std::string::npos) << result.warnings[0];

  DenseProblem several = three_decide(1e9);
  for (double& value : several.x[1700]) value *= 1e6;
  const FitResult two = fit(to_problem(several), three_features(Loss::logistic));
  ASSERT_EQ(two.warnings.size(), 1U);
  EXPECT_TRUE(two.warnings[0].starts_with("2 rows are far too long; row 2501 is "))
      << two.warnings[0];
}

TEST(LongRows, DoNotSpoilAFrontier) {
  SelectObserver nobody;
  Options options = three_features(Loss::logistic);
  options.holdout = 0.2;
  const auto frontiers =
      learn_frontiers(to_problem(three_decide(1e9)), {options}, {1, 3, 10}, nobody);
  EXPECT_EQ(frontiers[0].failure, "");
  ASSERT_EQ(frontiers[0].points.size(), 3U);
  expect_the_three(frontiers[0].points[1].model);
}

// What no arithmetic survives is told of the row that it is about.
TEST(LongRows, BeyondAllBoundsAreToldAsTheyAre) {
  const FitResult result = fit(to_problem(three_decide(1e200)), three_features(Loss::logistic));
  ASSERT_EQ(result.status.outcome, Outcome::diverged);
  EXPECT_EQ(result.divergences.at(0).row, kLong + 1);
  EXPECT_EQ(result.status.reason.find("--eta"), std::string::npos) << result.status.reason;
  EXPECT_NE(result.status.reason.find("--normalize l2"), std::string::npos) << result.status.reason;
  EXPECT_TRUE(result.warnings.empty());  // about a model that there is not
}

// Small features that decide may be passed over: that is said, unless they are scaled.
TEST(MixedScales, AreWarnedOf) {
  const auto warnings = [](double scale, FeatureScale by = FeatureScale::none) {
    DenseProblem data = random_problem(500, 10, 1, 3);
    for (std::vector<double>& x : data.x) x[4] *= scale;
    return fit(with_scale(to_problem(data), by), three_features(Loss::logistic)).warnings;
  };
  EXPECT_TRUE(warnings(1).empty());
  EXPECT_TRUE(warnings(1e-3).empty());
  ASSERT_EQ(warnings(1e-7).size(), 1U);
  EXPECT_NE(warnings(1e-7)[0].find("--scale max"), std::string::npos) << warnings(1e-7)[0];
  EXPECT_TRUE(warnings(1e-7, FeatureScale::max).empty());
}

// A penalty on weights is another one for a feature that is small.
TEST(MixedScales, MatterMoreToAPenalty) {
  const auto warnings = [](double scale, const std::string& solver) {
    DenseProblem data = random_problem(500, 10, 1, 3);
    for (std::vector<double>& x : data.x) x[4] *= scale;
    Options options;
    options.solver = solver;
    options.lambda = 0.1;
    return fit(to_problem(data), options).warnings;
  };
  for (const char* solver : {"l1", "cd", "scd"}) {
    EXPECT_TRUE(warnings(1e-2, solver).empty());
    ASSERT_EQ(warnings(1e-5, solver).size(), 1U);
    EXPECT_NE(warnings(1e-5, solver)[0].find("--scale max"), std::string::npos);
  }
}

}  // namespace
}  // namespace thresh::long_rows_edge
