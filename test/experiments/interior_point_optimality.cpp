// The interior point method of Figures 4 and 5 reaches the optimum that `l1` certifies, and its gap
// is one.

#include "duchi/interior_point.hpp"

#include <gtest/gtest.h>

#include "common/data.hpp"
#include "common/training.hpp"

using namespace thresh;
using namespace thresh::experiments;

namespace {

DenseProblem dense(const Rows& rows, bool squared, double lambda) {
  DenseProblem problem;
  const auto count = static_cast<Eigen::Index>(rows.size());
  const auto features = static_cast<Eigen::Index>(rows.starts[1]);
  problem.rows.resize(count, features);
  problem.labels.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < features; ++j) {
      problem.rows(i, j) = rows.values[static_cast<std::size_t>(i * features + j)];
    }
    problem.labels[i] = rows.labels[static_cast<std::size_t>(i)];
  }
  problem.squared = squared;
  problem.lambda = lambda;
  return problem;
}

double certified(const Rows& rows, bool squared, double lambda) {
  Options options;
  options.solver = "l1";
  options.lambda = lambda;
  options.intercept = false;
  options.passes = 0;
  options.solver_options["gap"] = "1e-10";
  options.trace = TraceAt{};
  if (squared) options.task = Task::regression;
  return *fit(make_data(rows).problem, options).trace.back().objective;
}

}  // namespace

TEST(InteriorPoint, ReachesTheCertifiedOptimum) {
  for (const bool squared : {false, true}) {
    for (const double lambda : {0.3, 0.02}) {
      const Rows rows = gaussian_rows(60, 40, 3, squared);
      const InteriorRun run = interior_point(dense(rows, squared, lambda), 1e-8);
      const double optimum = certified(rows, squared, lambda);
      EXPECT_NEAR(run.points.back().objective, optimum, 2e-8 * optimum) << squared << lambda;
      for (const InteriorPoint& point : run.points) {
        EXPECT_GE(point.gap, point.objective - optimum - 1e-9 * optimum);
      }
      EXPECT_LT(run.points.size(), 100U);
    }
  }
}

TEST(InteriorPoint, CountsItsReadsOfTheData) {
  const InteriorRun run = interior_point(dense(gaussian_rows(30, 20, 3), false, 0.05), 1e-3);
  EXPECT_EQ(run.points.front().accesses, 600);  // one gradient
  for (std::size_t i = 1; i < run.points.size(); ++i) {
    // Diagonal, start of conjugate gradients (twice), some steps of theirs (twice each), the change
    // of the margins, the next gradient.
    const double reads = (run.points[i].accesses - run.points[i - 1].accesses) / 600;
    EXPECT_GE(reads, 5);
    EXPECT_EQ(static_cast<int>(reads) % 2, 1) << reads;
  }
}
