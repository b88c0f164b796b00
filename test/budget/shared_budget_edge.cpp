// Options::shared_budget: one budget for all classes together.

#include <gtest/gtest.h>

#include "budget/budgets.hpp"
#include "thresh/error.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"

namespace thresh::shared_budget_edge {
namespace {

const std::vector<Loss> kLosses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};

Options shared_options(std::uint64_t features, std::vector<std::uint64_t> larger = {}) {
  Options options = budget_options(features, std::move(larger));
  options.shared_budget = true;
  return options;
}

void expect_total_within(const Model& model, std::uint64_t budget) {
  EXPECT_LE(model.nonzeros(), budget);
  expect_within(model, budget);
}

TEST(SharedBudget, HoldsForTheSumOfAllClasses) {
  for (const Loss loss : kLosses) {
    for (const std::uint64_t budget : {1, 2, 3, 7, 20, 50}) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(budget));
      Options options = shared_options(budget, {budget + 3, 2 * budget + 5});
      options.loss = loss;
      const FitResult result = fit(to_problem(three_classes(300, 20, 1)), options);
      ASSERT_EQ(result.recorded.size(), 2u);
      // Every class has use for every feature, so the budget is spent.
      EXPECT_EQ(result.recorded[0].model.nonzeros(), std::min<std::uint64_t>(60, 2 * budget + 5));
      EXPECT_EQ(result.recorded[1].model.nonzeros(), budget + 3);
      EXPECT_EQ(result.model.nonzeros(), budget);
      EXPECT_EQ(result.last.at.nonzeros, budget);
      expect_total_within(result.model, budget);
    }
  }
}

TEST(SharedBudget, HoldsHoweverEarlyARunIsInterrupted) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t rows = 1; rows < 1300; rows += 23) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(rows));
      Options options = shared_options(4, {9, 15});
      options.loss = loss;
      const FitResult result = fit_interrupted(three_classes(120, 15, 2), options, rows);
      expect_total_within(result.model, 4);
      EXPECT_EQ(result.model.nonzeros(), result.last.at.nonzeros);
      ASSERT_LE(result.recorded.size(), 2u);
      for (std::size_t i = 0; i < result.recorded.size(); ++i) {
        expect_total_within(result.recorded[i].model, i == 0 ? 15 : 9);
      }
    }
  }
}

TEST(SharedBudget, HoldsWhenStagesHaveNoRows) {
  for (std::uint64_t steps = 1; steps < 45; ++steps) {
    Options options = shared_options(4, {9, 15});
    options.steps = steps;
    const FitResult result = fit(to_problem(three_classes(60, 15, 3)), options);
    ASSERT_EQ(result.recorded.size(), 2u) << steps;
    expect_total_within(result.recorded[0].model, 15);
    expect_total_within(result.recorded[1].model, 9);
    expect_total_within(result.model, 4);
  }
}

// More features than the quadratic models of all classes have room for, and those of one class too.
TEST(SharedBudget, HoldsAmongMoreThanTheCandidates) {
  DenseProblem data = random_problem(300, 700, 0.2, 4);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  for (const std::uint64_t budget : {5, 1000, 1600, 1800}) {
    Options options = shared_options(budget);
    options.passes = 5;
    EXPECT_EQ(fit(to_problem(data), options).model.nonzeros(), budget);
  }
}

TEST(SharedBudget, RoomForEverythingIsRoomForEach) {
  const DenseProblem data = three_classes(300, 20, 5);
  for (const Loss loss : kLosses) {
    SCOPED_TRACE(name_of(loss));
    Options each = budget_options(20);
    each.loss = loss;
    Options all = shared_options(60);
    all.loss = loss;
    expect_same(fit(to_problem(data), all).model, fit(to_problem(data), each).model);
  }
}

TEST(SharedBudget, TwoClassesAreOneProblem) {
  const DenseProblem data = useful_rows(300, 20, 6);
  expect_same(fit(to_problem(data), shared_options(3, {7})).model,
              fit(to_problem(data), budget_options(3, {7})).model);
}

std::uint64_t features_of(const Model& model, std::size_t c) {
  return model.classes[c].coefficients.size();
}

TEST(SharedBudget, ClassesThatAreAlikeGetAboutTheSame) {
  const DenseProblem data = three_classes(3000, 30, 7);
  const Model model = fit(to_problem(data), shared_options(12)).model;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_GE(features_of(model, c), 3u) << c;
    EXPECT_LE(features_of(model, c), 5u) << c;
  }
}

// Class 0 shows in one feature and is never mistaken; what tells 1 from 2 is spread over many.
DenseProblem one_easy_class(std::size_t rows) {
  DenseProblem data = random_problem(rows, 30, 1, 8);
  Random random(9);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto c = i % 3;
    data.y[i] = static_cast<double>(c);
    for (double& x : data.x[i]) x = random.normal();
    data.x[i][0] = c == 0 ? 6 : 0;
    for (std::size_t j = 1; j < 11 && c > 0; ++j) data.x[i][j] += c == 1 ? 0.4 : -0.4;
  }
  return data;
}

TEST(SharedBudget, AClassThatIsHardToTellGetsMore) {
  Problem problem = to_problem(one_easy_class(2000));
  problem.valid = problem.train;
  const FitResult shared = fit(problem, shared_options(15));
  EXPECT_LE(features_of(shared.model, 0), 2u);
  EXPECT_GE(features_of(shared.model, 1), 5u);
  EXPECT_GE(features_of(shared.model, 2), 5u);
  EXPECT_LT(*shared.last.valid_error, *fit(problem, budget_options(5)).last.valid_error);
}

// Classes side by side on several threads, and each row by row.
TEST(SharedBudget, TheSameRunGivesTheSameModels) {
  struct Curious : Observer {
    std::uint64_t seen = 0;
    void on_progress(const Progress& at) override { seen = at.examples; }
    std::uint64_t wake_at() const override { return seen + 1; }
  } observer;
  DenseProblem data = random_problem(300, 400, 1, 10);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 5);
  const Options options = shared_options(30, {90, 200});
  const FitResult threads = fit(to_problem(data), options);
  const FitResult rows = fit(to_problem(data), options, nullptr, &observer);
  expect_same(threads.model, rows.model);
  ASSERT_EQ(threads.recorded.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    expect_same(threads.recorded[i].model, rows.recorded[i].model);
}

TEST(SharedBudget, ASoftmaxKeepsToItToo) {
  Options options = shared_options(8);
  options.multiclass = Multiclass::softmax;
  const FitResult result = fit(to_problem(three_classes(300, 20, 11)), options);
  EXPECT_EQ(result.model.nonzeros(), 8u);
  options.features = 60;
  Options each = options;
  each.shared_budget = false;
  each.features = 20;
  const Problem problem = to_problem(three_classes(300, 20, 11));
  expect_same(fit(problem, options).model, fit(problem, each).model);
}

TEST(SharedBudget, WhatMustStayCountsInEveryClass) {
  Options options = shared_options(7);
  options.keep = {15, 14};
  const Problem problem = to_problem(three_classes(300, 15, 12));
  for (const Loss loss : kLosses) {
    SCOPED_TRACE(name_of(loss));
    options.loss = loss;
    const Model model = fit(problem, options).model;
    EXPECT_EQ(model.nonzeros(), 7u);
    for (const Coefficients& part : lists_of(model)) {
      EXPECT_TRUE(has_feature(part, 14));
      EXPECT_TRUE(has_feature(part, 15));
    }
  }
  options.features = 5;
  EXPECT_NE(refusal_of([&] { fit(problem, options); }).find("once per class"), std::string::npos);
}

TEST(SharedBudget, ADensityIsAShareOfAllWeights) {
  Options options = shared_options(0);
  options.features.reset();
  options.density = 0.2;
  EXPECT_EQ(fit(to_problem(three_classes(300, 15, 13)), options).model.nonzeros(), 9u);
}

// Solvers that only watch their support: the last state in which the sum was within comes out.
TEST(SharedBudget, OtherSolversEndWithTheLastStateWithin) {
  const DenseProblem data = three_classes(60, 12, 14);
  for (const SolverInfo& info : solvers()) {
    if (info.budget != BudgetUse::optional) continue;
    SCOPED_TRACE(info.name);
    Options options = options_for(info);
    options.features.reset();
    options.lambda = 0.002;
    std::vector<Model> after;
    for (std::uint64_t steps = 1; steps <= 40; ++steps) {
      options.steps = steps;
      after.push_back(fit(to_problem(data), options).model);
    }
    options.shared_budget = true;
    for (const std::uint64_t budget : {2, 5, 11, 20, 36}) {
      options.features = budget;
      const Model model = fit(to_problem(data), options).model;
      expect_total_within(model, budget);
      const Model* expected = nullptr;
      for (const Model& each : after) {
        if (each.nonzeros() <= budget) expected = &each;
      }
      if (expected == nullptr) {
        EXPECT_EQ(model.nonzeros(), 0u);
      } else {
        expect_same(model, *expected);
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_EQ(model.classes[c].intercept, expected->classes[c].intercept);
        }
      }
    }
  }
}

TEST(SharedBudget, AModelToStartFromCountsAllClasses) {
  const Problem problem = to_problem(three_classes(300, 15, 15));
  const Model start = fit(problem, shared_options(9)).model;
  EXPECT_LE(fit(problem, shared_options(9), &start).model.nonzeros(), 9u);
  EXPECT_NE(error_of([&] { fit(problem, shared_options(8), &start); }).find("9 non-zeros"),
            std::string::npos);
  EXPECT_NO_THROW(fit(problem, budget_options(8), &start));
}

TEST(SharedBudget, SolversThatCannotShareSaySo) {
  const Problem problem = to_problem(three_classes(60, 15, 16));
  for (const char* name : {"l0-sgd", "grades"}) {
    Options options = shared_options(5);
    options.solver = name;
    const std::string error = refusal_of([&] { fit(problem, options); });
    EXPECT_TRUE(error.starts_with(name)) << error;
    EXPECT_NE(error.find("budget)"), std::string::npos) << error;
  }
  Options options;
  options.solver = "fobos";
  options.shared_budget = true;
  EXPECT_THROW(fit(problem, options), UsageError);
}

}  // namespace
}  // namespace thresh::shared_budget_edge
