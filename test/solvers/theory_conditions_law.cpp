// Each condition of the theorems of Shalev-Shwartz & Tewari by itself: if it fails, no number is
// printed, but which condition it was.

#include <gtest/gtest.h>

#include "loss/bounds.hpp"
#include "thresh/thresh.hpp"
#include "tools/problems.hpp"

namespace thresh::theory_conditions_law {
namespace {

DenseProblem small_values(std::size_t features = 8) {
  DenseProblem data = random_problem(50, features, 0.5, 12);
  for (auto& x : data.x) {
    for (double& value : x) value = std::clamp(value / 4, -1.0, 1.0);
  }
  return data;
}

// Theorem 1 applies.
Options scd() {
  Options options;
  options.solver = "scd";
  options.solver_options["curvature"] = "global";
  options.intercept = false;
  options.lambda = 0.05;
  options.passes = 10;
  return options;
}

// Theorem 3 and Proposition 4 apply.
Options smidas() {
  Options options;
  options.solver = "smidas";
  options.intercept = false;
  options.lambda = 0.05;
  options.order = Order::replacement;
  options.iterate = Iterate::random;
  options.auto_eta = true;
  options.passes = 10;
  return options;
}

std::string note(const Options& options, const DenseProblem& data = small_values()) {
  const Finding finding = fit(to_problem(data), options).theory.back();
  EXPECT_FALSE(finding.value) << finding.name << ": " << *finding.value;
  return finding.note;
}

template <class Change>
std::string scd_without(const Change& change, const DenseProblem& data = small_values()) {
  Options options = scd();
  change(options);
  return note(options, data);
}
template <class Change>
std::string smidas_without(const Change& change, const DenseProblem& data = small_values()) {
  Options options = smidas();
  change(options);
  return note(options, data);
}

TEST(TheoryConditions, OfTheorem1) {
  ASSERT_TRUE(fit(to_problem(small_values()), scd()).theory.back().value);
  EXPECT_EQ(scd_without([](Options& o) { o.solver_options["curvature"] = "column"; }),
            "does not apply: it asks for --curvature global");
  EXPECT_EQ(scd_without([](Options& o) { o.order = Order::sequential; }),
            "does not apply: coordinates were not drawn at random");
  EXPECT_EQ(scd_without([](Options& o) { o.task = Task::regression; }),
            "does not apply: it is evaluated for two classes only");
  EXPECT_EQ(scd_without([](Options& o) { o.intercept = true; }),
            "does not apply: an intercept is outside the theorem (see --no-intercept)");
  EXPECT_EQ(scd_without([](Options& o) { o.lambda = 0; }),
            "does not apply: without lambda nothing bounds the optimum");
  EXPECT_EQ(scd_without([](Options& o) { o.solver_options["lower"] = "0.1"; }),
            "does not apply: w = 0 is not allowed");
  EXPECT_EQ(scd_without([](Options& o) { o.solver_options["upper"] = "-0.1"; }),
            "does not apply: w = 0 is not allowed");
  EXPECT_EQ(scd_without([](Options& o) { o.features = 3; }),
            "does not apply: with a feature budget an earlier state may come out");
  DenseProblem large = small_values();
  large.x[7][0] = -3;
  EXPECT_EQ(scd_without([](Options&) {}, large), "does not apply: features go beyond [-1, 1]");
}

// A box around 0 changes nothing: the step of a coordinate is the minimum of its model there too.
TEST(TheoryConditions, Theorem1HoldsInABoxAroundZero) {
  Options options = scd();
  options.lambda = 0.01;
  options.trace = TraceAt{};
  options.solver_options["lower"] = "0";
  options.solver_options["upper"] = "0.2";
  options.passes = 2000;
  const double best = *fit(to_problem(small_values()), options).last.objective;
  options.passes = 1;
  const FitResult result = fit(to_problem(small_values()), options);
  ASSERT_TRUE(result.theory.back().value);
  EXPECT_LE(*result.last.objective - best, *result.theory.back().value);
}

// The proof bounds the sum over w_0 ... w_T; the mean of w_1 ... w_T has T terms of it.
TEST(TheoryConditions, Theorem1OfTheMeanHasOneStepLess) {
  Options options = scd();
  options.steps = 20;
  EXPECT_DOUBLE_EQ(*fit(to_problem(small_values()), options).theory.back().value,
                   scd_bound(8, 20, 0.25, std::log(2.0), 0.05));
  options.iterate = Iterate::average;
  EXPECT_DOUBLE_EQ(*fit(to_problem(small_values()), options).theory.back().value,
                   scd_bound(8, 19, 0.25, std::log(2.0), 0.05));
}

TEST(TheoryConditions, OfTheorem2) {
  Options options = scd();
  options.delta = 0.3;
  ASSERT_TRUE(fit(to_problem(small_values()), options).theory.back().value);
  DenseProblem three = small_values();
  for (std::size_t i = 0; i < three.y.size(); ++i) three.y[i] = static_cast<double>(i % 3);
  EXPECT_EQ(note(options, three), "does not apply: it is about two classes");
  options.order = Order::shuffle;
  options.lambda = 0;
  EXPECT_EQ(note(options), "does not apply: without lambda nothing bounds the optimum");
}

// A run that diverged went on from an earlier state, with other steps.
TEST(TheoryConditions, NothingIsPromisedOfRunsThatDiverged) {
  DenseProblem large = small_values();
  for (auto& x : large.x) x[0] = 1e154;
  Options options = scd();
  options.loss = Loss::squared;
  options.delta = 0.3;
  const FitResult result = fit(to_problem(large), options);
  ASSERT_FALSE(result.divergences.empty());
  EXPECT_EQ(result.theory.back().note, "does not apply: a run diverged");
}

TEST(TheoryConditions, OfTheorem3) {
  ASSERT_TRUE(fit(to_problem(small_values()), smidas()).theory.back().value);
  EXPECT_EQ(smidas_without([](Options& o) { o.task = Task::regression; }),
            "does not apply: it is evaluated for two classes only");
  EXPECT_EQ(smidas_without([](Options& o) { o.intercept = true; }),
            "does not apply: an intercept is outside the theorem (see --no-intercept)");
  EXPECT_EQ(smidas_without([](Options& o) { o.lambda = 0; }),
            "does not apply: without lambda nothing bounds the optimum");
  EXPECT_EQ(smidas_without([](Options& o) { o.schedule = Schedule::sqrt; }),
            "does not apply: the step size is not constant");
  EXPECT_EQ(smidas_without([](Options& o) { o.solver_options["threshold"] = "plain"; }),
            "does not apply: it is about --threshold scaled");
  EXPECT_EQ(smidas_without([](Options& o) { o.order = Order::shuffle; }),
            "does not apply: rows must be drawn (--order replacement)");
  EXPECT_EQ(smidas_without([](Options& o) { o.iterate = Iterate::last; }),
            "does not apply: it is about a random iterate or their mean (--iterate random or "
            "average)");
  EXPECT_EQ(smidas_without([](Options& o) { o.balanced_classes = true; }),
            "does not apply: rows have weights");
  DenseProblem large = small_values();
  large.x[7][0] = -3;
  EXPECT_EQ(smidas_without([](Options&) {}, large), "does not apply: features go beyond [-1, 1]");
  DenseProblem empty = small_values();
  for (auto& x : empty.x) x.assign(8, 0);
  EXPECT_EQ(smidas_without([](Options& o) { o.solver_options["p"] = "3"; }, empty),
            "does not apply: the dimension is unknown");
  // Only (14) holds for the squared loss, and only for small steps.
  EXPECT_EQ(smidas_without([](Options& o) {
              o.loss = Loss::squared;
              o.auto_eta = false;
              o.eta = 0.2;
            }),
            "does not apply: the step is too large");
}

// The factor of the theorem is d^(2/p); with p = 0.5 ln d it is e^4.
TEST(TheoryConditions, Theorem3AtHalfTheLogarithm) {
  const DenseProblem data = small_values(64);
  Options options = smidas();
  options.solver_options["p"] = "0.5ln";
  const FitResult result = fit(to_problem(data), options);
  const double p = std::log(64.0) / 2, factor = std::exp(4), steps = 10 * 50;
  const double eta = smidas_step(p, 0.5, factor, 1);
  EXPECT_NEAR(*result.theory[0].value, eta, 1e-12);
  ASSERT_TRUE(result.theory[1].value);
  EXPECT_NEAR(*result.theory[1].value,
              std::min(smidas_bound_lipschitz(p, factor, eta, steps, std::log(2.0), 0.05),
                       *smidas_bound(p, 0.5, factor, eta, steps, std::log(2.0), 0.05)),
              1e-9);
}

TEST(TheoryConditions, Proposition4BoundsTheObjective) {
  const DenseProblem data = small_values();
  Options exact = scd();
  exact.trace = TraceAt{};
  exact.passes = 2000;
  const double best = *fit(to_problem(data), exact).last.objective;
  for (const double k : {0.1, 1.0, 3.0}) {
    SCOPED_TRACE(k);
    Options options = smidas();
    options.solver_options["k"] = std::to_string(k);
    options.trace = TraceAt{};
    options.passes = 100;
    const FitResult result = fit(to_problem(data), options);
    ASSERT_EQ(result.theory.size(), 3u);
    const double p = 5, rho = 0.5, factor = std::pow(8, 2 / p), T = 5000;
    const double norm = std::log(2.0) / 0.05, share = 1 + k * (T + 1) / T;
    // eq. 23 at the step of the proposition, with P(w*) for P(0)
    const double a = *result.theory[0].value * (p - 1) * rho * factor / 2;
    EXPECT_NEAR(a, k / (1 + k), 1e-12);
    EXPECT_NEAR(1 / (1 - a), 1 + k, 1e-9);
    const double rest = norm * norm / (*result.theory[0].value * T * (1 - a));
    EXPECT_NEAR(*result.theory[2].value, rest, 1e-9 * rest);
    double mean = 0;
    for (options.seed = 1; options.seed <= 10; ++options.seed) {
      mean += *fit(to_problem(data), options).last.objective / 10;
    }
    EXPECT_LE(mean, share * best + rest);
  }
  Options other = smidas();  // another step than that of the proposition
  other.auto_eta = false;
  other.eta = 0.1;
  EXPECT_EQ(fit(to_problem(data), other).theory.size(), 2u);
}

}  // namespace
}  // namespace thresh::theory_conditions_law
