// Slots of huge feature numbers are given out as rows are read, by several threads, and so in
// another order every time: the solver `budget` must give the same model for all of them.

#include <gtest/gtest.h>

#include <numeric>

#include "budget/budgets.hpp"

namespace thresh::budget_order_edge {
namespace {

constexpr std::size_t kFeatures = 30;

// A map that has met the features in an order of its own.
std::shared_ptr<FeatureMap> met_in_order(std::uint64_t seed) {
  std::vector<std::uint64_t> ids(kFeatures);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  Random random(seed);
  if (seed > 0) shuffle(ids.begin(), ids.end(), random);
  auto features = std::make_shared<FeatureMap>(1, 0);  // none is its own slot
  for (const std::uint64_t id : ids) features->slot(id);
  return features;
}

void expect_same_in_any_order(const DenseProblem& data, const Options& options) {
  const FitResult expected = fit(to_problem(data), options);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const FitResult got = fit(to_problem(data, met_in_order(seed)), options);
    expect_same(got.model, expected.model);
    ASSERT_EQ(got.recorded.size(), expected.recorded.size());
    for (std::size_t i = 0; i < got.recorded.size(); ++i) {
      expect_same(got.recorded[i].model, expected.recorded[i].model);
    }
  }
}

TEST(BudgetOrder, SlotsDoNotMatter) {
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    SCOPED_TRACE(name_of(loss));
    Options options = budget_options(3, {8, 20});
    options.loss = loss;
    expect_same_in_any_order(useful_rows(400, kFeatures, 1), options);
    options.keep = {kFeatures};
    expect_same_in_any_order(useful_rows(5, kFeatures, 2), options);  // fewer than candidates
  }
}

TEST(BudgetOrder, SlotsDoNotMatterToClasses) {
  for (const bool shared : {false, true}) {
    Options options = budget_options(6, {12});
    options.shared_budget = shared;
    expect_same_in_any_order(three_classes(300, kFeatures, 3), options);
  }
}

// Of equals one must go.
TEST(BudgetOrder, SlotsDoNotMatterToTies) {
  DenseProblem data = useful_rows(300, kFeatures, 4);
  for (auto& x : data.x) {
    for (std::size_t j = 10; j < kFeatures; ++j) x[j] = x[j % 10];
  }
  expect_same_in_any_order(data, budget_options(5, {12}));
}

// Then the largest weights stay.
TEST(BudgetOrder, SlotsDoNotMatterToRunsOfFewSteps) {
  for (const std::uint64_t steps : {3, 9, 25}) {
    Options options = budget_options(2);
    options.steps = steps;
    expect_same_in_any_order(random_problem(50, kFeatures, 0.5, 5), options);
  }
}

}  // namespace
}  // namespace thresh::budget_order_edge
