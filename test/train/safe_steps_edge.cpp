// The steps that are taken where the user names none, and what is said about those that are unsafe.

#include <gtest/gtest.h>

#include "solvers/catalog.hpp"
#include "tools/model_text.hpp"
#include "train/plain_sgd.hpp"

namespace thresh::safe_steps_edge {
namespace {

TEST(SafeSteps, ClassesWarnOnceAndTheModelHasTheStepThatWasTaken) {
  DenseProblem data = random_problem(200, 10, 0.5, 1);
  for (auto& x : data.x) {
    for (double& value : x) value *= 100;
  }
  Options options = plain_sgd(0.1);
  options.eta.reset();
  const FitResult two = fit(to_problem(data), options);
  EXPECT_NE(two.model.options.at("eta").number(), 0.1);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  options.solver = "subgradient";
  options.solver_options["batch"] = "0";
  EXPECT_EQ(fit(to_problem(data), options).warnings.size(), 1U);
}

// budget counts in units of a row's length; where a few rows make it, that is said.
TEST(SafeSteps, AFewLongRowsAreSaid) {
  DenseProblem data = random_problem(400, 3, 1.0, 7);
  Options options;
  options.solver = "budget";
  options.features = 2;
  EXPECT_TRUE(fit(plain_problem(data), options).warnings.empty());
  for (std::size_t i = 0; i < data.x.size(); i += 50) data.x[i][2] = 1e4;
  const FitResult result = fit(plain_problem(data), options);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("8 rows are far too long"), std::string::npos)
      << result.warnings[0];
}

TEST(SafeSteps, TheDefaultIsKeptWhereItIsSafeAndLoweredWhereItIsNot) {
  const DenseProblem small = random_problem(200, 10, 0.5, 1);
  DenseProblem large = small;
  for (auto& x : large.x) {
    for (double& value : x) value *= 100;
  }
  for (const char* solver : {"fobos", "truncated-gradient", "l0-sgd", "subgradient", "grades",
                             "projected-sgd", "projected-gradient"}) {
    SCOPED_TRACE(solver);
    const SolverInfo& info = find_solver(solver).info;
    Options options = plain_sgd(0.1);
    options.solver = solver;
    if (option_of(info, "radius") != nullptr) options.solver_options["radius"] = "1";
    if (info.budget == BudgetUse::required) options.features = 10;
    const FitResult given = fit(to_problem(small), options);
    options.eta.reset();
    const FitResult chosen = fit(to_problem(small), options);
    EXPECT_EQ(text_of(given.model), text_of(chosen.model));
    EXPECT_TRUE(chosen.warnings.empty());
    const FitResult lowered = fit(to_problem(large), options);
    EXPECT_TRUE(lowered.divergences.empty());
    EXPECT_LT(mean_loss(large, weights_of(lowered.model, 10)), 1);
    if (std::string(solver) == "grades") continue;  // auto is its default
    ASSERT_EQ(lowered.warnings.size(), 1U);
    EXPECT_TRUE(lowered.warnings[0].starts_with("eta is ")) << lowered.warnings[0];
    // What is recorded is enough to repeat the run.
    options.eta = lowered.model.options.at("eta").number();
    EXPECT_LT(*options.eta, 0.1);
    const FitResult repeated = fit(to_problem(large), options);
    EXPECT_TRUE(repeated.warnings.empty());
    EXPECT_EQ(weights_of(repeated.model, 10), weights_of(lowered.model, 10));
    options.eta = 0.1;
    const FitResult warned = fit(to_problem(large), options);
    ASSERT_EQ(warned.warnings.size(), 1U);
    EXPECT_TRUE(warned.warnings[0].starts_with("--eta 0.1 is too large")) << warned.warnings[0];
  }
  Options gamma = plain_sgd(0.1);
  gamma.solver = "grades";
  gamma.features = 10;
  gamma.solver_options["gamma"] = "1";
  EXPECT_EQ(fit(to_problem(small), gamma).warnings.size(), 1U);
  gamma.solver_options["gamma"] = "1000000";
  EXPECT_TRUE(fit(to_problem(small), gamma).warnings.empty());
}

}  // namespace
}  // namespace thresh::safe_steps_edge
