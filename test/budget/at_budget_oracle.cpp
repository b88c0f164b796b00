// --at-budget stop against a twin that trains once for every number of steps.

#include <gtest/gtest.h>

#include "thresh/error.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"

namespace thresh::at_budget_oracle {
namespace {

constexpr std::uint64_t kBudget = 12;

struct Expected {
  Model model;              // the last one before the support exceeds the budget
  std::uint64_t steps = 0;  // of that model; 0: the support never exceeds the budget
};

Expected twin(const DenseProblem& data, Options options) {
  options.features.reset();
  options.at_budget.reset();
  options.passes = 1000;
  Expected expected;
  for (std::uint64_t steps = 1; steps <= 120; ++steps) {
    options.steps = steps;
    Model model = fit(plain_problem(data), options).model;
    if (model.nonzeros() > kBudget) {
      expected.steps = steps - 1;
      return expected;
    }
    expected.model = std::move(model);
  }
  return expected;
}

TEST(AtBudget, StopEndsBeforeTheFirstStepAboveTheBudget) {
  const DenseProblem data = random_problem(60, 40, 0.1, 5);
  std::size_t compared = 0;
  for_each_way([&](const SolverInfo& info, Options options) {
    if (info.budget != BudgetUse::optional || info.stops_at_budget) return;
    options.lambda = 1e-3;
    const Expected expected = twin(data, options);
    if (expected.steps == 0) return;
    options.features = kBudget;
    options.at_budget = AtBudget::stop;
    options.passes = 1000;
    const FitResult result = fit(plain_problem(data), options);
    EXPECT_EQ(result.status.outcome, Outcome::budget_reached);
    EXPECT_EQ(result.last.at.nonzeros, expected.model.nonzeros());
    expect_weights(result.model, weights_of(expected.model, 40), expected.model.intercept, 1e-12);
    ++compared;
  });
  EXPECT_GE(compared, 10U);
}

// The only step of a pass over all rows is made at its end.
TEST(AtBudget, StopSeesTheStepAtTheEndOfAPass) {
  Options options;
  options.solver = "fobos";
  options.solver_options["batch"] = "0";
  options.lambda = 1e-4;
  options.passes = 1;
  options.features = kBudget;
  options.at_budget = AtBudget::stop;
  const FitResult result = fit(plain_problem(random_problem(60, 40, 0.3, 5)), options);
  EXPECT_EQ(result.status.outcome, Outcome::budget_reached);
  EXPECT_EQ(result.last.at.examples, 60U);
}

TEST(AtBudget, ContinueIsTheDefault) {
  const DenseProblem data = random_problem(60, 40, 0.1, 5);
  for (const char* solver : {"truncated-gradient", "smidas", "scd", "fobos"}) {
    Options options;
    options.solver = solver;
    options.features = kBudget;
    options.passes = 5;
    options.dim = 40;
    const Model usual = fit(plain_problem(data), options).model;
    options.at_budget = AtBudget::proceed;
    const Model asked = fit(plain_problem(data), options).model;
    EXPECT_EQ(weights_of(asked, 40), weights_of(usual, 40)) << solver;
  }
}

std::string refusal(const char* solver, std::optional<std::uint64_t> features, AtBudget at_budget) {
  Options options;
  options.solver = solver;
  options.features = features;
  options.at_budget = at_budget;
  return refusal_of([&] { fit(plain_problem(random_problem(20, 10, 0.5, 1)), options); });
}

TEST(AtBudget, IsRefusedWhereItMeansNothing) {
  for (const char* solver : {"budget", "l0-sgd", "grades"}) {
    EXPECT_EQ(refusal(solver, 5, AtBudget::stop),
              std::string(solver) + " never exceeds its budget; leave out --at-budget");
  }
  EXPECT_EQ(refusal("margin-perceptron", 5, AtBudget::proceed),
            "margin-perceptron always stops at its budget and does not support --at-budget "
            "continue");
  EXPECT_EQ(refusal("margin-perceptron", 5, AtBudget::stop), "");
  EXPECT_EQ(refusal("fobos", std::nullopt, AtBudget::stop),
            "--at-budget requires --features or --density");
}

}  // namespace
}  // namespace thresh::at_budget_oracle
