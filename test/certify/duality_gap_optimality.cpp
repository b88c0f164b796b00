// The independent duality gap: no model is better by more, and at an optimum it closes.

#include "certify/duality_gap.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresh/certificate.hpp"
#include "tools/optimum.hpp"

namespace thresh::duality_gap_optimality {
namespace {

using Real = long double;

Model model_of(const Dense& at, bool intercept) {
  Model model;
  model.solver = "by hand";
  model.dimension = at.w.size();
  model.has_intercept = intercept;
  model.intercept = intercept ? at.b : 0;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    if (at.w[j] != 0) model.coefficients.push_back({j + 1, at.w[j], ""});
  }
  return model;
}

DualityGap gap_at(const DenseProblem& data, const ConvexProblem& convex, const Dense& at) {
  const Problem problem = to_problem(data);
  const Model model = model_of(at, convex.intercept);
  TrainingRows rows{problem.train, problem.features, {}, std::nullopt};
  rows.view.labels = LabelMap::of_classes(-1, 1);
  return duality_gap(convex, rows,
                     SlotWeights(model.coefficients, model.intercept, false, *problem.features));
}

// P as it is written, at any point.
Real objective_of(const DenseProblem& data, const ConvexProblem& convex, const Dense& at) {
  Real sum = mean_loss(data, convex.loss, {at.w, convex.intercept ? at.b : 0});
  if (convex.radius) return sum;
  for (const double w : at.w)
    sum += convex.lambda * std::fabs(Real(w)) + Real(convex.l2) / 2 * w * w;
  return sum;
}

Dense random_point(const DenseProblem& data, const ConvexProblem& convex, std::uint64_t seed) {
  Random random(seed);
  Dense at{Vector(data.features), random.normal()};
  for (double& w : at.w) w = random.uniform() < 0.5 ? random.normal() : 0;
  if (convex.non_negative) {
    for (double& w : at.w) w = std::fabs(w);
  }
  const double size = l1_norm(at.w);
  if (convex.radius && size > 0) {
    for (double& w : at.w) w *= *convex.radius * random.uniform() / size;
  }
  return at;
}

ConvexProblem any_convex() {
  ConvexProblem convex;
  convex.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge);
  convex.lambda = *rc::gen::element(0.0, 0.003, 0.05, 0.5);
  convex.l2 = *rc::gen::element(0.0, 0.0, 0.1);
  convex.intercept = *rc::gen::arbitrary<bool>();
  convex.non_negative = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    convex.radius = *rc::gen::element(0.1, 1.0, 10.0);
    convex.lambda = convex.l2 = 0;
  }
  return convex;
}

// The one thing that a certificate must never get wrong: other points may be better, but never by
// more than the gap. Points around each other's as well as anywhere.
RC_GTEST_PROP(IndependentGap, NoModelIsBetterByMore, ()) {
  const DenseProblem data = any_problem();
  const ConvexProblem convex = any_convex();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Dense at = random_point(data, convex, seed);
  const DualityGap gap = gap_at(data, convex, at);
  const Real objective = objective_of(data, convex, at);
  RC_ASSERT(std::fabs(gap.objective - objective) <= 1e-12L * (1 + objective));
  for (std::uint64_t other = 1; other <= 20; ++other) {
    const Dense to = random_point(data, convex, seed + other);
    for (const double t : {1.0, 0.1, 0.01}) {
      Dense between = at;
      for (std::size_t j = 0; j < at.w.size(); ++j) between.w[j] += t * (to.w[j] - at.w[j]);
      between.b += t * (to.b - at.b);
      RC_ASSERT(objective_of(data, convex, between) >= gap.bound - 1e-12L * (1 + objective));
    }
  }
}

// Without an intercept the gap of the ball is that of Frank and Wolfe: z max |g_j| + <g, w>.
RC_GTEST_PROP(IndependentGap, FrankAndWolfe, ()) {
  const DenseProblem data = any_problem();
  ConvexProblem convex;
  convex.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  convex.radius = 2;
  convex.intercept = false;
  Dense at = random_point(data, convex, *rc::gen::arbitrary<std::uint64_t>());
  at.b = 0;
  const Dense g = full_gradient(data, convex.loss, at);
  double largest = 0, product = 0;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    largest = std::max(largest, std::fabs(g.w[j]));
    product += g.w[j] * at.w[j];
  }
  RC_ASSERT(std::fabs(gap_at(data, convex, at).gap() - (2 * largest + product)) < 1e-10L);
}

DualityGap gap_of_run(const DenseProblem& data, Options options, const ConvexProblem& convex) {
  return gap_at(data, convex, dense(fit(to_problem(data), options).model, data.features));
}

TEST(IndependentGap, ClosesWhereASolverConverges) {
  const DenseProblem data = learnable_problem(80, 12, 3);
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    for (const bool intercept : {true, false}) {
      ConvexProblem convex{loss, 0.03, 0, std::nullopt, false, intercept};
      Options options;
      options.loss = loss;
      options.lambda = 0.03;
      options.intercept = intercept;
      options.solver = "cd";
      options.passes = 3000;
      EXPECT_LT(gap_of_run(data, options, convex).gap(), 1e-10L) << name_of(loss);
      options.solver = "l1";
      options.passes = 0;
      options.solver_options = {{"gap", "1e-10"}, {"l2", "0.1"}};
      convex.l2 = 0.1;
      EXPECT_LT(gap_of_run(data, options, convex).gap(), 1e-10L) << name_of(loss);
      options.solver_options = {{"radius", "2"}};
      options.solver = "projected-gradient";
      options.auto_eta = true;
      options.passes = 5000;
      convex = {loss, 0, 0, 2, false, intercept};
      EXPECT_LT(gap_of_run(data, options, convex).gap(), 1e-8L) << name_of(loss);
    }
  }
}

// What `train --certify` does for these solvers, all of them: the certificate that is made holds.
TEST(IndependentGap, EverySolverOfAConvexProblemIsCertified) {
  const DenseProblem data = learnable_problem(80, 12, 3);
  std::size_t certified = 0;
  for (const SolverInfo& info : solvers()) {
    if (info.many_sizes) continue;  // a feature limit is not convex: see subset_bound_oracle.cpp
    Options options;
    options.solver = info.name;
    options.lambda = 0.01;
    if (info.name == "eg" || info.name.starts_with("projected"))
      options.solver_options["radius"] = "3";
    try {
      check_certifiable(options);
    } catch (const UsageError&) {
      continue;
    }
    const Problem problem = to_problem(data);
    options.certify = true;
    FitResult result = fit(problem, options);
    result.model.certificate =
        certify(result.model, problem, {result.compression_sets, false, 0.05, ""});
    for (const Check& check : verify(result.model, problem)) {
      EXPECT_TRUE(check.holds) << info.name << ": " << check.name << ": " << check.text;
    }
    ++certified;
  }
  EXPECT_EQ(certified, 13U);
}

}  // namespace
}  // namespace thresh::duality_gap_optimality
