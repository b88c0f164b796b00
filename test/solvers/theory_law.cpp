// What the papers prove must hold for what we run, and be withheld where it does not apply.

#include <gtest/gtest.h>

#include "loss/bounds.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
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
  options.solver_options["curvature"] = "global";
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

// What Theorem 3 is about: drawn rows and a random iterate.
Options of_theorem3() {
  Options options = no_intercept("smidas");
  options.order = Order::replacement;
  options.iterate = Iterate::random;
  options.auto_eta = true;
  options.passes = 100;
  return options;
}

// The factor is d^(2/p): 8 for p = 2, e for p = 2 ln d.
TEST(Theory, SmidasStaysBelowItsBoundWithTheStepItRecommends) {
  const DenseProblem data = small_values();
  const double best = optimum(data);
  const double d = 8, rho = 0.5, steps = 100 * 50, at_zero = std::log(2.0);
  for (const auto& [text, p] : {std::pair{"2", 2.0}, {"2ln", 2 * std::log(d)}, {"", 5.0}}) {
    SCOPED_TRACE(text);
    Options options = of_theorem3();
    if (*text != 0) options.solver_options["p"] = text;
    const FitResult result = fit(to_problem(data), options);
    ASSERT_EQ(result.theory.size(), 3u);
    ASSERT_TRUE(result.theory[1].value) << result.theory[1].note;
    const double factor = std::pow(d, 2 / p);
    const double eta = *result.theory[0].value;
    EXPECT_DOUBLE_EQ(eta, 1 / ((p - 1) * rho * factor));
    const double norm = at_zero / options.lambda;
    const double lipschitz =
        (steps + 1) / steps * eta * (p - 1) * factor / 2 + norm * norm / (eta * steps);
    const double a = eta * (p - 1) * rho * factor / 2;
    const double smooth =
        (steps + 1) / steps * (1 / (1 - a) - 1) * at_zero + norm * norm / (eta * steps * (1 - a));
    EXPECT_NEAR(*result.theory[1].value, std::min(lipschitz, smooth), 1e-12);
    double mean = 0;
    for (options.seed = 1; options.seed <= 20; ++options.seed) {
      mean += *fit(to_problem(data), options).last.objective / 20;
    }
    EXPECT_LE(mean - best, *result.theory[1].value);
    options.auto_eta = false;
    options.eta = eta;
    options.seed = 1;
    EXPECT_EQ(*fit(to_problem(data), options).last.objective, *result.last.objective);
  }
}

// The objective is convex: the mean of the iterates is no worse than their mean objective.
TEST(Theory, SmidasBoundHoldsForTheAverageToo) {
  const DenseProblem data = small_values();
  const double best = optimum(data);
  Options options = of_theorem3();
  const FitResult random = fit(to_problem(data), options);
  options.iterate = Iterate::average;
  const FitResult average = fit(to_problem(data), options);
  ASSERT_TRUE(average.theory[1].value) << average.theory[1].note;
  EXPECT_EQ(*average.theory[1].value, *random.theory[1].value);
  double mean = 0;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    mean += *fit(to_problem(data), options).last.objective / 20;
  }
  EXPECT_LE(mean - best, *average.theory[1].value);
  DenseProblem large = data;
  large.x[7][0] = 3;  // measured for the average too
  EXPECT_EQ(fit(to_problem(large), options).theory[1].note,
            "does not apply: features go beyond [-1, 1]");
}

TEST(Theory, Proposition4TakesItsK) {
  Options options = of_theorem3();
  options.solver_options["k"] = "3";
  const FitResult result = fit(to_problem(small_values()), options);
  EXPECT_DOUBLE_EQ(*result.theory[0].value, 2 / (4 * 0.5 * std::pow(8, 0.4)) * 0.75);
  options.solver_options["k"] = "0";
  EXPECT_EQ(refusal_of([&] { fit(to_problem(small_values()), options); }), "--k must be above 0");
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
  scd.solver_options["curvature"] = "global";
  scd.lambda = 0;
  EXPECT_EQ(note(data, scd), "does not apply: without lambda nothing bounds the optimum");
  scd.lambda = 0.05;
  scd.features = 3;
  EXPECT_EQ(note(data, scd), "does not apply: with a feature budget an earlier state may come out");
  scd.features.reset();
  Options dense = scd;
  dense.lambda = 1e-3;
  const Model model = fit(to_problem(data), dense).model;
  ASSERT_GT(model.nonzeros(), 0U);
  const auto note_from = [&](const Options& options) {
    return fit(to_problem(data), options, &model).theory.back().note;
  };
  const std::string from = "does not apply: the run must start from 0, not from a model";
  EXPECT_EQ(note_from(scd), from);
  EXPECT_EQ(note_from(of_theorem3()), from);
  Options smidas = no_intercept("smidas");
  smidas.intercept = true;
  EXPECT_TRUE(note(data, smidas).starts_with("does not apply: an intercept"));
  DenseProblem large = data;
  large.x[7][0] = 3;  // one row, which need not be drawn
  EXPECT_EQ(note(large, of_theorem3()), "does not apply: features go beyond [-1, 1]");
  Options weighted = of_theorem3();
  weighted.balanced_classes = true;
  EXPECT_EQ(note(data, weighted), "does not apply: rows have weights");
  Options shuffled = of_theorem3();
  shuffled.order = Order::shuffle;
  EXPECT_EQ(note(data, shuffled), "does not apply: rows must be drawn (--order replacement)");
  Options last = of_theorem3();
  last.iterate = Iterate::last;
  EXPECT_EQ(note(data, last),
            "does not apply: it is about a random iterate or their mean (--iterate random or "
            "average)");
  Options plain = of_theorem3();
  plain.solver_options["threshold"] = "plain";
  EXPECT_EQ(note(data, plain), "does not apply: it is about --threshold scaled");
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
  options.solver_options["radius"] = "4";
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
