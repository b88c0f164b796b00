// What the papers prove must hold for what we run, and be withheld where it does not apply.

#include <gtest/gtest.h>

#include "solvers/bounds.hpp"
#include "thresh/thresh.hpp"
#include "tools/problems.hpp"

namespace thresh::theory_law {
namespace {

// Features in [-1, 1], as the theorems ask for.
DenseProblem small_values() {
  DenseProblem data = random_problem(50, 8, 0.5, 12);
  for (auto& x : data.x) {
    for (double& value : x) value = std::clamp(value / 4, -1.0, 1.0);
  }
  return data;
}

Options no_intercept(const std::string& solver) {
  Options options;
  options.solver = solver;
  options.intercept = false;
  options.lambda = 0.05;
  options.trace = TraceAt{};
  return options;
}

double optimum(const DenseProblem& data) {
  Options options = no_intercept("cd");
  options.passes = 2000;
  return *fit(to_problem(data), options).last.objective;
}

TEST(Theory, ScdStaysBelowItsBound) {
  const DenseProblem data = small_values();
  Options options = no_intercept("scd");
  options.own["curvature"] = "global";
  const double best = optimum(data);
  for (const std::uint64_t passes : {1, 10, 100}) {
    options.passes = passes;
    const FitResult result = fit(to_problem(data), options);
    ASSERT_EQ(result.theory.size(), 1u);
    ASSERT_TRUE(result.theory[0].value) << result.theory[0].note;
    EXPECT_LE(*result.last.objective - best, *result.theory[0].value) << passes;
    EXPECT_DOUBLE_EQ(*result.theory[0].value,
                     scd_bound(8, 8.0 * static_cast<double>(passes), 0.25, std::log(2.0), 0.05));
  }
}

TEST(Theory, SmidasStaysBelowItsBoundWithTheStepItRecommends) {
  const DenseProblem data = small_values();
  Options options = no_intercept("smidas");
  options.auto_eta = true;
  options.passes = 100;
  const FitResult result = fit(to_problem(data), options);
  ASSERT_EQ(result.theory.size(), 2u);
  ASSERT_TRUE(result.theory[1].value) << result.theory[1].note;
  EXPECT_LE(*result.last.objective - optimum(data), *result.theory[1].value);
  // p = ceil(2 ln 8) = 5, rho = 1/2.
  EXPECT_DOUBLE_EQ(*result.theory[0].value, 1 / (4 * 0.5 * std::exp(1.0)));
  options.auto_eta = false;
  options.eta = *result.theory[0].value;
  EXPECT_EQ(*fit(to_problem(data), options).last.objective, *result.last.objective);
}

TEST(Theory, ItIsWithheldWhereItDoesNotApply) {
  const auto note = [](const DenseProblem& data, Options options) {
    const Finding finding = fit(to_problem(data), options).theory.back();
    EXPECT_FALSE(finding.value);
    return finding.note;
  };
  const DenseProblem data = small_values();
  Options scd = no_intercept("scd");
  EXPECT_EQ(note(data, scd), "does not apply: it asks for --curvature global");
  scd.own["curvature"] = "global";
  scd.lambda = 0;
  EXPECT_EQ(note(data, scd), "does not apply: without lambda nothing bounds the optimum");
  Options smidas = no_intercept("smidas");
  smidas.intercept = true;
  EXPECT_TRUE(note(data, smidas).starts_with("does not apply: an intercept"));
  DenseProblem large = data;
  large.x[0][0] = 3;
  EXPECT_EQ(note(large, no_intercept("smidas")), "does not apply: features go beyond [-1, 1]");
}

TEST(Theory, ThePerceptronCountsDistinctKernelRows) {
  DenseProblem data;
  data.features = 1;
  data.x = {{1}, {1}};
  data.y = {1, -1};
  data.s = {1, 1};
  Options options;
  options.passes = 5;  // the rows contradict each other, so both cause updates in every pass
  const FitResult result = fit(to_problem(data), options);
  EXPECT_EQ(result.last.at.updates, 10u);
  EXPECT_EQ(*result.theory[0].value, 2);
}

TEST(Theory, TheLargestEigenvalueMakesStepsThatNeverGoUphill) {
  const DenseProblem data = random_problem(80, 10, 0.5, 3);
  Options options;
  options.solver = "projected-gradient";
  options.auto_eta = true;
  options.own["radius"] = "4";
  options.passes = 50;
  options.trace = TraceAt{};
  const FitResult result = fit(to_problem(data), options);
  for (std::size_t i = 1; i < result.trace.size(); ++i) {
    EXPECT_LE(*result.trace[i].objective, *result.trace[i - 1].objective + 1e-15);
  }
  EXPECT_THROW(
      {
        Options hinge = options;
        hinge.loss = Loss::hinge;
        fit(to_problem(data), hinge);
      },
      std::exception);
}

}  // namespace
}  // namespace thresh::theory_law
