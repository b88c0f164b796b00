// l1 reaches the optimum, and its certificate holds when computed again by code of its own.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "l1/l1_twin.hpp"

namespace thresh::l1_optimality {
namespace {

RC_GTEST_PROP(L1, CertificateHoldsWhenComputedIndependently, ()) {
  const Twin twin = any_twin();
  RC_PRE(has_features(twin.data));
  const auto [at, result] = solve(twin);
  RC_ASSERT(result.status.outcome == Outcome::converged);
  const Real gap = twin.gap(at);
  RC_ASSERT(gap >= -1e-15L);
  RC_ASSERT(gap <= 2e-9L * twin.primal(at) + 1e-15L);
  RC_ASSERT(std::fabs(found(result, "objective") - twin.primal(at)) <= 1e-12L);
  RC_ASSERT(found(result, "duality gap") <= 1e-9L * twin.primal(at) + 1e-15L);
  for (const double w : at.w) {
    RC_ASSERT(!twin.non_negative || w >= 0);
    RC_ASSERT(w == 0 || std::fabs(w) > 1e-13);  // what left a face is zero, not almost
  }
}

// More features than rows, many of them almost the same, and more than the small models take.
TEST(L1, CorrelatedColumnsBeyondTheSmallModels) {
  Twin twin;
  twin.data = random_problem(60, 700, 1, 5);
  Random random(2);
  for (auto& x : twin.data.x) {
    for (std::size_t j = 350; j < 700; ++j) x[j] = x[j - 350] + 0.01 * random.normal();
  }
  for (const double lambda : {0.1, 0.01, 0.001}) {
    twin.lambda = lambda;
    const auto [at, result] = solve(twin, 1e-7);
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    EXPECT_LE(twin.gap(at), 1.1e-7L * twin.primal(at)) << lambda;
  }
}

// Sparse columns in groups of four that differ in one row of a hundred, like n-grams of the same
// words: only those rows tell how a group's weight is shared.
TEST(L1, AlmostEqualColumns) {
  Twin twin;
  twin.data = random_problem(1000, 600, 1, 5);
  Random random(2);
  std::vector<double> truth(150);
  for (double& w : truth) w = random.uniform() < 0.5 ? random.normal() : 0;
  for (std::size_t i = 0; i < twin.data.x.size(); ++i) {
    double a = random.normal();
    bool present = false;
    for (std::size_t j = 0; j < 600; ++j) {
      if (j % 4 == 0) {
        present = random.uniform() < 0.08;
        a += present ? truth[j / 4] : 0;
      }
      twin.data.x[i][j] = present && random.uniform() > 0.01 ? 1 : 0;
    }
    twin.data.y[i] = a > 0 ? 1 : -1;
  }
  for (const double lambda : {3e-3, 3e-4, 1e-4}) {
    twin.lambda = lambda;
    const auto [at, result] = solve(twin, 1e-7);
    EXPECT_LE(twin.gap(at), 1.1e-7L * twin.primal(at)) << lambda;
  }
}

// Most features are dropped on the way and not looked at again: the certificate is theirs as well.
TEST(L1, ALooseGapIsThatOfDroppedFeaturesToo) {
  Twin twin;
  twin.data = random_problem(200, 600, 0.05, 8);
  for (const double lambda : {0.02, 0.005}) {
    for (const double enough : {1e-1, 1e-2, 1e-3, 1e-5}) {
      twin.lambda = lambda;
      const auto [at, result] = solve(twin, enough);
      EXPECT_EQ(result.status.outcome, Outcome::converged);
      EXPECT_NEAR(found(result, "duality gap"), static_cast<double>(twin.gap(at)), 1e-13)
          << lambda << ' ' << enough;
    }
  }
}

// Sets too large for the small models, on sparse rows: sweeps and faces.
TEST(L1, ManyNonZeros) {
  Twin twin;
  twin.data = random_problem(3000, 1200, 0.02, 6);
  Random random(3);
  std::vector<double> truth(1200);
  for (double& w : truth) w = random.normal();
  for (std::size_t i = 0; i < twin.data.x.size(); ++i) {
    double a = random.normal();
    for (std::size_t j = 0; j < truth.size(); ++j) a += truth[j] * twin.data.x[i][j];
    twin.data.y[i] = a > 0 ? 1 : -1;
  }
  twin.lambda = 3e-4;
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    twin.loss = loss;
    const auto [at, result] = solve(twin, 1e-7);
    const auto nonzeros = std::count_if(at.w.begin(), at.w.end(), [](double w) { return w != 0; });
    EXPECT_GT(nonzeros, 450) << "too easy";
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    EXPECT_LE(twin.gap(at), 1.1e-7L * twin.primal(at)) << name_of(loss);
  }
}

TEST(L1, MeetsCoordinateDescent) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  twin.lambda = 0.03;
  Options slow;
  slow.solver = "cd";
  slow.lambda = twin.lambda;
  slow.passes = 2000;
  const Dense best = dense(fit(to_problem(twin.data), slow).model, twin.data.features);
  const Dense got = solve(twin, 1e-12).at;
  for (std::size_t j = 0; j < got.w.size(); ++j) EXPECT_NEAR(got.w[j], best.w[j], 1e-5) << j;
  EXPECT_NEAR(got.b, best.b, 1e-5);
}

TEST(L1, NoFeaturesAtTheLargestLambdaAndSomeJustBelow) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.solver_options = {{"lambda-ratio", "1"}};
  EXPECT_EQ(fit(to_problem(twin.data), options).model.nonzeros(), 0U);
  options.solver_options = {{"lambda-ratio", "0.99"}};
  EXPECT_EQ(fit(to_problem(twin.data), options).model.nonzeros(), 1U);
}

TEST(L1, LambdasOnTheWayAreSolvedAsIfAlone) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.solver_options = {{"gap", "1e-12"}};
  options.lambdas = {0.1, 0.03};
  options.lambda = 0.01;
  const FitResult path = fit(to_problem(twin.data), options);
  ASSERT_EQ(path.recorded.size(), 2U);
  const std::vector<Model> models{path.recorded[0].model, path.recorded[1].model, path.model};
  const double lambdas[] = {0.1, 0.03, 0.01};
  for (std::size_t i = 0; i < models.size(); ++i) {
    twin.lambda = lambdas[i];
    const Dense alone = solve(twin, 1e-12).at;
    const Dense got = dense(models[i], twin.data.features);
    for (std::size_t j = 0; j < got.w.size(); ++j) EXPECT_NEAR(got.w[j], alone.w[j], 1e-6) << j;
  }
}

// Nothing but lambda knows how large the targets are.
TEST(L1, RegressionTargetsOfAnyScale) {
  Options options;
  options.solver = "l1";
  options.task = Task::regression;
  options.solver_options = {{"gap", "1e-12"}};
  options.passes = 30;
  const auto learn = [&](double scale) {
    DenseProblem data = learnable_problem(80, 12, 3);
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      data.y[i] = scale * (3 * data.x[i][0] - data.x[i][4] + 0.1 * data.y[i]);
    }
    options.lambda = 0.05 * scale;
    const FitResult result = fit(to_problem(data), options);
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    return dense(result.model, 12);
  };
  const Dense small = learn(1), large = learn(1e8);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(large.w[j] / 1e8, small.w[j], 1e-7) << j;
}

TEST(L1, ExampleWeightsCountAsCopies) {
  Twin twin;
  twin.data = learnable_problem(40, 8, 4);
  const ScratchDir dir;
  std::string weights;
  DenseProblem copies;
  copies.features = twin.data.features;
  for (std::size_t i = 0; i < twin.data.x.size(); ++i) {
    const int times = static_cast<int>(i % 3);
    weights += fmt::format("{}\n", times);
    for (int copy = 0; copy < times; ++copy) {
      copies.x.push_back(twin.data.x[i]);
      copies.y.push_back(twin.data.y[i]);
      copies.s.push_back(1);
    }
  }
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.lambda = 0.02;
  options.solver_options = {{"gap", "1e-12"}};
  const Dense of_copies = dense(fit(to_problem(copies), options).model, 8);
  options.weights_file = dir.write("weights", weights);
  const Dense weighted = dense(fit(to_problem(twin.data), options).model, 8);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(weighted.w[j], of_copies.w[j], 1e-6) << j;
}

}  // namespace
}  // namespace thresh::l1_optimality
