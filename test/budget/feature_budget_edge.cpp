// The feature budget: no model has more non-zeros, and nothing else changes.

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "tools/every_solver.hpp"

namespace thresh::feature_budget_edge {
namespace {

TEST(Budget, NoBudgetIsExceeded) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    for (const std::uint64_t budget : {1, 2, 5, 9, 20, 39}) {
      Options limited = options;
      limited.features = budget;
      if (info.budget == BudgetUse::refused) {
        EXPECT_THROW(fit(to_problem(sparse_rows()), limited), UsageError);
        continue;
      }
      for (const double lambda : {0.0, 0.01, 0.1}) {
        limited.lambda = lambda;
        const FitResult got = fit(to_problem(sparse_rows()), limited);
        EXPECT_LE(nonzeros_of(got.model), budget);
        EXPECT_EQ(nonzeros_of(got.model), got.last.at.nonzeros);
        for (const Coefficient& each : got.model.coefficients) {
          EXPECT_TRUE(std::isfinite(each.weight));
        }
      }
    }
  });
}

// A budget that is never reached is none.
TEST(Budget, AWideBudgetChangesNothing) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    if (info.budget != BudgetUse::optional) return;
    const FitResult free = fit(to_problem(sparse_rows()), options);
    Options limited = options;
    limited.features = 40;
    const FitResult got = fit(to_problem(sparse_rows()), limited);
    ASSERT_EQ(got.model.coefficients.size(), free.model.coefficients.size());
    for (std::size_t k = 0; k < got.model.coefficients.size(); ++k) {
      EXPECT_EQ(got.model.coefficients[k].weight, free.model.coefficients[k].weight);
    }
  });
}

bool same_weights(const Model& a, const Model& b) {
  const auto same = [](const Coefficient& x, const Coefficient& y) {
    return x.index == y.index && x.weight == y.weight;
  };
  return a.intercept == b.intercept &&
         std::equal(a.coefficients.begin(), a.coefficients.end(), b.coefficients.begin(),
                    b.coefficients.end(), same);
}

// With so few rows every solver looks after every step: what comes out is where a run without a
// budget was within it for the last time.
TEST(Budget, TheLastStateWithinItComesOut) {
  const DenseProblem rows = sparse_rows(60);
  for (const SolverInfo& info : solvers()) {
    if (info.budget != BudgetUse::optional || info.name == "margin-perceptron") continue;
    SCOPED_TRACE(info.name);
    Options options = options_for(info);
    options.lambda = 0.002;
    std::vector<Model> after(1);
    for (std::uint64_t steps = 1; steps <= 50; ++steps) {
      options.steps = steps;
      after.push_back(fit(to_problem(rows), options).model);
    }
    for (const std::uint64_t budget : {1, 3, 8, 15, 30}) {
      const Model* expected = nullptr;
      for (const Model& model : after) {
        if (model.coefficients.size() <= budget) expected = &model;
      }
      options.features = budget;
      EXPECT_TRUE(same_weights(fit(to_problem(rows), options).model, *expected)) << budget;
      options.features.reset();
    }
  }
}

TEST(Budget, AStateFromBeforeTheEndIsWarnedOf) {
  Options options = options_for(find_solver("fobos").info);
  options.features = 3;
  const FitResult early = fit(to_problem(sparse_rows()), options);
  ASSERT_EQ(early.warnings.size(), 1U);
  EXPECT_NE(early.warnings[0].find("last state within the budget of 3"), std::string::npos);
  options.features = 40;
  EXPECT_TRUE(fit(to_problem(sparse_rows()), options).warnings.empty());
}

TEST(Budget, AModelToStartFromComesOutIfTheFirstStepLeavesIt) {
  Model start;
  start.dimension = 6;
  start.intercept = 0.001;
  start.coefficients = {{2, 0.001, ""}};
  for (const SolverInfo& info : solvers()) {
    // These refuse a start or a budget, choose their features, or may stay with the one there is.
    const bool fits = info.budget == BudgetUse::optional && info.name != "eg" &&
                      info.name != "rda" && info.name != "gcd";
    if (!fits) continue;
    SCOPED_TRACE(info.name);
    Options options = options_for(info);
    options.lambda = 0;
    options.features = 1;
    options.steps = 1;
    options.order = Order::sequential;
    if (options.solver_options.contains("radius")) options.solver_options["radius"] = "100";
    const Model end = fit(to_problem(random_problem(20, 6, 1, 3)), options, &start).model;
    EXPECT_TRUE(same_weights(end, start));
  }
}

// What runs away are the sums; the model is made of the last good weights.
TEST(Budget, ARunThatDivergesEndsWithItsLastGoodWeights) {
  DenseProblem data = random_problem(4000, 20, 1, 5);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = data.x[i][0] - data.x[i][1];
  data.y[3000] = 1e300;
  Options options;
  options.solver = "budget";
  options.task = Task::regression;
  options.order = Order::sequential;
  options.features = 1;
  options.passes = 20;
  for (const bool never_scale : {false, true}) {
    Problem problem = to_problem(data);
    problem.never_scale = never_scale;
    const FitResult result = fit(problem, options);
    EXPECT_EQ(result.status.outcome, Outcome::diverged);
    EXPECT_LE(result.model.nonzeros(), 1U);
    for (const Coefficient& each : result.model.coefficients) {
      EXPECT_TRUE(std::isfinite(each.weight));
    }
  }
}

}  // namespace
}  // namespace thresh::feature_budget_edge
