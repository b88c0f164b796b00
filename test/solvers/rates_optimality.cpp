// Solvers that only approach the optimum do so at about the rate that theory promises.

#include <gtest/gtest.h>

#include "tools/optimum.hpp"

namespace thresh::rates_optimality {
namespace {

class Rates : public ::testing::Test {
 protected:
  Rates() {
    options.loss = Loss::logistic;
    options.lambda = 0.03;
    options.intercept = false;
    Options exact = options;
    exact.solver = "cd";
    exact.passes = 2000;
    optimum_ = objective(data, exact, dense(fit(to_problem(data), exact).model, data.features));
  }

  // P minus the smallest P, after so many passes.
  double gap(std::uint64_t passes, double eta = 0) const {
    Options with = options;
    with.passes = passes;
    if (eta > 0) with.eta = eta;
    const Model model = fit(to_problem(data), with).model;
    const double gap = objective(data, with, dense(model, data.features)) - optimum_;
    EXPECT_GT(gap, -1e-9) << "better than the best";
    return gap;
  }

  DenseProblem data = learnable_problem(200, 12, 3);
  Options options;

 private:
  double optimum_ = 0;
};

// Smooth loss, steps below 1/L: the gap falls geometrically.
TEST_F(Rates, FobosOverAllRowsReachesTheOptimum) {
  options.solver = "fobos";
  options.schedule = Schedule::constant;
  options.eta = 0.5;
  options.solver_options["batch"] = "0";
  const double early = gap(5);
  EXPECT_GT(early, 1e-4);
  EXPECT_LT(gap(50), early / 10);
  EXPECT_LT(gap(5000), 1e-9);
}

// Sixteen times the passes at steps of 1/sqrt(t): a quarter of the gap is expected, a half
// required.
TEST_F(Rates, StochasticSolversCloseTheGapLikeOneOverSqrt) {
  for (const char* solver : {"fobos", "subgradient", "truncated-gradient", "smidas"}) {
    SCOPED_TRACE(solver);
    options.solver = solver;
    options.schedule = Schedule::sqrt;
    options.eta = 0.5;
    options.solver_options.clear();
    if (options.solver == "subgradient") options.solver_options["batch"] = "1";
    const double early = gap(4);
    EXPECT_GT(early, 1e-6);
    EXPECT_LT(gap(64), early / 2);
    EXPECT_LT(gap(1024), early / 12);
  }
}

TEST_F(Rates, RdaClosesTheGapLikeOneOverSqrt) {
  options.solver = "rda";
  const double early = gap(4);
  EXPECT_GT(early, 1e-6);
  EXPECT_LT(gap(64), early / 2);
  EXPECT_LT(gap(1024), early / 12);
}

TEST_F(Rates, FullSubgradientStepsCloseTheGapLikeOneOverSqrt) {
  options.solver = "subgradient";
  options.schedule = Schedule::sqrt;
  options.eta = 1;
  const double early = gap(10);
  EXPECT_GT(early, 1e-6);
  EXPECT_LT(gap(160), early / 2);
  EXPECT_LT(gap(2560), early / 12);
}

// Steps of one size end within a distance that goes with that size.
TEST_F(Rates, ConstantStepsEndAsCloseAsTheyAreSmall) {
  for (const char* solver : {"truncated-gradient", "smidas", "fobos"}) {
    SCOPED_TRACE(solver);
    options.solver = solver;
    options.schedule = Schedule::constant;
    const double coarse = gap(50, 0.1);
    EXPECT_GT(coarse, 1e-6);
    EXPECT_LT(gap(500, 0.01), coarse / 3);
    EXPECT_LT(gap(5000, 0.001), coarse / 9);
  }
}

}  // namespace
}  // namespace thresh::rates_optimality
