// Options::keep: features that must stay, however useless they are.

#include <gtest/gtest.h>

#include "budget/budgets.hpp"
#include "thresh/error.hpp"
#include "tools/error_of.hpp"

namespace thresh::required_edge {
namespace {

const std::vector<Loss> kLosses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};

// The last feature is noise that nobody would choose.
constexpr std::uint64_t kUseless = 15;

DenseProblem rows_with_noise(std::size_t rows = 300) {
  DenseProblem data = useful_rows(rows, kUseless, 1);
  Random random(2);
  for (auto& x : data.x) x[kUseless - 1] = 0.01 * random.normal();
  return data;
}

Options keeping(std::uint64_t features, std::vector<std::uint64_t> keep) {
  Options options = budget_options(features);
  options.keep = std::move(keep);
  return options;
}

TEST(Keep, AUselessFeatureStaysWithinTheBudget) {
  for (const Loss loss : kLosses) {
    for (const std::uint64_t budget : {1, 3, 10}) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(budget));
      Options options = keeping(budget, {kUseless});
      options.loss = loss;
      const FitResult result = fit(to_problem(rows_with_noise()), options);
      EXPECT_EQ(result.model.coefficients.size(), budget);
      EXPECT_TRUE(has_feature(result.model.coefficients, kUseless));
      options.keep = {};
      const Model free = fit(to_problem(rows_with_noise()), options).model;
      EXPECT_FALSE(has_feature(free.coefficients, kUseless));
    }
  }
}

TEST(Keep, TheBestOfTheOthersFillTheBudget) {
  const Model model = fit(to_problem(rows_with_noise(1000)), keeping(3, {kUseless})).model;
  ASSERT_EQ(model.coefficients.size(), 3u);
  EXPECT_EQ(model.coefficients[0].index, 1u);
  EXPECT_EQ(model.coefficients[1].index, 2u);
}

TEST(Keep, MayFillTheBudgetAndNameAFeatureTwice) {
  const Options options = keeping(3, {14, 2, 15, 2});
  const Model model = fit(to_problem(rows_with_noise()), options).model;
  ASSERT_EQ(model.coefficients.size(), 3u);
  EXPECT_EQ(model.coefficients[0].index, 2u);
  EXPECT_EQ(model.coefficients[1].index, 14u);
  EXPECT_EQ(model.coefficients[2].index, 15u);
}

TEST(Keep, HoldsForRecordedModelsAndEveryClass) {
  Options options = keeping(2, {kUseless});
  options.budgets = {4, 8};
  const FitResult result = fit(to_problem(three_classes(300, kUseless, 3)), options);
  ASSERT_EQ(result.recorded.size(), 2u);
  for (const Model& model : {result.recorded[0].model, result.recorded[1].model, result.model}) {
    for (const Coefficients& part : lists_of(model)) EXPECT_TRUE(has_feature(part, kUseless));
  }
  expect_within(result.model, 2);
}

TEST(Keep, CountsAsTheDataDo) {
  Problem problem = to_problem(rows_with_noise());
  problem.zero_based = true;
  const Model model = fit(problem, keeping(2, {kUseless - 1})).model;
  EXPECT_EQ(model.coefficients.size(), 2u);
  EXPECT_TRUE(has_feature(model.coefficients, kUseless - 1));
}

// Whichever stage the interruption falls into.
TEST(Keep, HoldsForInterruptedRuns) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t rows = 60; rows < 3000; rows += 67) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(rows));
      Options options = keeping(2, {kUseless});
      options.loss = loss;
      const FitResult result = fit_interrupted(rows_with_noise(), options, rows);
      expect_within(result.model, 2);
      EXPECT_TRUE(has_feature(result.model.coefficients, kUseless));
    }
  }
}

// Then stages of the quadratic model have no row, and the largest weights stay.
TEST(Keep, HoldsForRunsOfFewerStepsThanStages) {
  for (std::uint64_t steps = 1; steps < 40; ++steps) {
    SCOPED_TRACE(steps);
    Options options = keeping(2, {kUseless});
    options.steps = steps;
    const FitResult result = fit(to_problem(rows_with_noise()), options);
    expect_within(result.model, 2);
    EXPECT_TRUE(has_feature(result.model.coefficients, kUseless));
  }
}

// Then a stage may show no row that has the feature, nor any stage before the refit.
TEST(Keep, ARareFeatureStaysHoweverShortStagesAre) {
  constexpr std::size_t kRows = 3000;
  for (const std::size_t where : {std::size_t{7}, kRows / 2, kRows - 3}) {
    DenseProblem data = useful_rows(kRows, kUseless, 1);
    for (std::size_t i = 0; i < kRows; ++i) data.x[i][kUseless - 1] = i == where ? 0.5 : 0;
    for (const std::uint64_t passes : {1, 2, 5, 20}) {
      SCOPED_TRACE(std::to_string(where) + " " + std::to_string(passes));
      Options options = keeping(5, {kUseless});
      options.passes = passes;
      options.order = Order::sequential;
      const FitResult result = fit(to_problem(data), options);
      EXPECT_EQ(result.model.coefficients.size(), 5u);
      EXPECT_TRUE(has_feature(result.model.coefficients, kUseless));
      EXPECT_TRUE(result.warnings.empty());
    }
  }
}

TEST(Keep, MoreThanTheBudgetIsRefused) {
  const Problem problem = to_problem(rows_with_noise());
  EXPECT_THROW(fit(problem, keeping(2, {1, 2, 3})), UsageError);
  Options options = keeping(2, {1, 2, 3});
  options.budgets = {5};  // room enough, but not in the end
  EXPECT_THROW(fit(problem, options), UsageError);
}

// A feature that no row has can have no weight, and takes no place once all rows have been shown.
TEST(Keep, AFeatureThatNeverOccursChangesNothing) {
  for (const Loss loss : kLosses) {
    for (const std::uint64_t index : {16, 5'000}) {
      for (const std::uint64_t budget : {1, 3, 15}) {
        SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(index));
        Options options = keeping(budget, {index});
        options.passes = 20;
        options.dim = index;
        options.loss = loss;
        const FitResult got = fit(to_problem(rows_with_noise()), options);
        ASSERT_EQ(got.warnings.size(), 1u);
        EXPECT_TRUE(got.warnings[0].starts_with("--keep " + std::to_string(index) + ": no row "));
        options.keep = {};
        expect_same(got.model, fit(to_problem(rows_with_noise()), options).model, 1e-9);
      }
    }
  }
}

TEST(Keep, AFeatureThatNeverOccursChangesNothingForSharedBudgetsAndFewRows) {
  for (const std::size_t rows : {3, 300}) {
    Options options = keeping(6, {16, 17});
    options.passes = 20;
    options.dim = 20;
    options.shared_budget = true;
    const DenseProblem data = three_classes(rows, kUseless, 3);
    const FitResult got = fit(to_problem(data), options);
    EXPECT_EQ(got.warnings.size(), 2u);
    options.keep = {};
    expect_same(got.model, fit(to_problem(data), options).model, 1e-9);
  }
}

TEST(Keep, AFeatureBeyondTheDimensionIsRefused) {
  EXPECT_THROW(fit(to_problem(rows_with_noise()), keeping(3, {16})), Error);
}

// Data that count from 1 have no feature 0.
TEST(Keep, AFeatureThatCannotBeIsRefused) {
  EXPECT_THROW(fit(to_problem(rows_with_noise()), keeping(3, {0})), UsageError);
}

}  // namespace
}  // namespace thresh::required_edge
