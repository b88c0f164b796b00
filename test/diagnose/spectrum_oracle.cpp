// Eigenvalues, radii and steps of GraDes against dense matrices.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "diagnose/dense_matrix.hpp"
#include "diagnose/findings.hpp"
#include "sparse/random.hpp"

namespace thresh::spectrum_oracle {
namespace {

// Wide as well as long data, so that X'X and XX' both have their turn.
DenseProblem wide_or_long() {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 40);
  const auto features = *rc::gen::inRange<std::size_t>(1, 40);
  return random_problem(rows, features, 0.5, *rc::gen::arbitrary<std::uint64_t>());
}

// Of any square matrix, through its complex eigenvalues.
double radius_of(const Eigen::MatrixXd& m) {
  return m.rows() == 0 ? 0 : m.eigenvalues().cwiseAbs().maxCoeff();
}

double top_of(const Eigen::MatrixXd& x) {
  return x.cols() == 0
             ? 0
             : (x.transpose() * x).selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff();
}

RC_GTEST_PROP(Diagnose, LargestEigenvalueIsTheDenseOne, ()) {
  const DenseProblem data = wide_or_long();
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  const SpectrumStats stats = measure_spectrum(*problem.train, overview, 3.0);
  const Eigen::MatrixXd x = dense_matrix(data);
  Eigen::MatrixXd ones(x.rows(), x.cols() + 1);
  ones << x, Eigen::VectorXd::Ones(x.rows());
  RC_ASSERT(std::fabs(stats.largest.plain() - top_of(x)) <= 1e-6 * top_of(x));
  RC_ASSERT(std::fabs(stats.with_intercept.plain() - top_of(ones)) <= 1e-6 * top_of(ones));
}

// A few rows, which need not have anything in common, or anything at all in these columns.
TEST(Diagnose, LargestEigenvalueOfSmallMatrices) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const DenseProblem data = random_problem(2 + seed % 4, 6, 0.3, seed);
    const Problem problem = to_problem(data);
    const Overview overview = overview_of(*problem.train);
    Eigen::MatrixXd x = dense_matrix(data);
    std::vector<std::uint32_t> odd;
    for (std::uint32_t j = 0; j < overview.columns.size(); ++j) {
      if (j % 2 == 1) odd.push_back(j);
      if (j % 2 == 0) x.col(j).setZero();
    }
    const ColumnSet columns(odd, overview.columns.size());
    const Eigenvalue largest = largest_eigenvalue(*problem.train, columns, {overview.largest});
    EXPECT_NEAR(largest.plain(), top_of(x), 1e-6 * top_of(x));
  }
}

TEST(Diagnose, LargestEigenvalueOfNothing) {
  DenseProblem data = random_problem(40, 50, 0.5, 1);
  for (auto& row : data.x) std::fill(row.begin(), row.end(), 0.0);
  const Problem problem = to_problem(data);
  const std::vector<std::uint32_t> all = {0, 3, 7, 9, 10, 11, 12, 20, 21, 22, 30, 31};
  EXPECT_EQ(largest_eigenvalue(*problem.train, ColumnSet(all, 50), {0.0}).plain(), 0);
}

// D_J M is not symmetric: the dense twin takes it as it stands, with any J and gamma.
RC_GTEST_PROP(Diagnose, RadiusOfTheProjectedMatrixIsTheDenseOne, ()) {
  const DenseProblem data = wide_or_long();
  const double gamma = *rc::gen::element(0.5, 3.0, 20.0, 100.0, 1000.0);
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  const Eigen::MatrixXd x = dense_matrix(data);
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(x.cols(), x.cols()) - x.transpose() * x / gamma;
  std::vector<std::uint32_t> chosen;
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (std::uint32_t j = 0; j < x.cols(); ++j) {
    const bool occurs = x.col(j).any();
    if (occurs && random.below(3) > 0) {
      chosen.push_back(j);
    } else {
      m.row(j).setZero();
    }
  }
  const ColumnSet columns(chosen, overview.columns.size());
  const GramOptions options{overview.largest};
  const Eigenvalue largest = largest_eigenvalue(*problem.train, columns, options);
  const Radius radius = iteration_radius(*problem.train, columns, largest, {gamma, 0}, options);
  const double truth = radius_of(m);
  if (radius.at_most) {
    RC_ASSERT(truth <= radius.value * (1 + 1e-6));
  } else {
    RC_ASSERT(std::fabs(radius.value - truth) <= 1e-6 * std::max(1.0, truth));
  }
}

RC_GTEST_PROP(Diagnose, GradesWalksAsDenseMatricesDo, ()) {
  const DenseProblem data = wide_or_long();
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 41);
  const double gamma = *rc::gen::element(3.0, 100.0, 1000.0);
  const GradesRun run =
      run_grades(*problem.train, overview, LabelMap::of_classes(-1, 1), {k, gamma, 6}, {});
  const Eigen::MatrixXd x = dense_matrix(data);
  const auto d = static_cast<std::size_t>(x.cols());
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(data.y.data(), x.rows());
  Eigen::VectorXd w = Eigen::VectorXd::Zero(x.cols());
  RC_ASSERT(!run.overflowed);
  RC_ASSERT(run.steps.size() == 7U);
  for (const GradesStep& step : run.steps) {
    const double potential = (y - x * w).squaredNorm() / 2;
    RC_ASSERT(std::fabs(step.log10_potential - std::log10(potential)) <= 1e-6);
    RC_ASSERT(step.nonzeros == static_cast<std::uint64_t>((w.array() != 0).count()));
    w += x.transpose() * (y - x * w) / gamma;
    std::vector<std::size_t> order(d);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return std::fabs(w[a]) > std::fabs(w[b]); });
    // Sums in another order may tell equal magnitudes apart: such cases say nothing.
    if (k < d) {
      const double last = std::fabs(w[order[k - 1]]);
      RC_PRE(last == 0 || last - std::fabs(w[order[k]]) > 1e-9 * last);
    }
    for (std::size_t i = k; i < d; ++i) w[order[i]] = 0;
  }
}

TEST(Diagnose, GradesSaysWhereNumbersEnd) {
  const Problem problem = to_problem(random_problem(30, 10, 0.5, 7));
  const Overview overview = overview_of(*problem.train);
  const GradesRun run =
      run_grades(*problem.train, overview, LabelMap::of_classes(-1, 1), {5, 1e-10, 1000}, {});
  EXPECT_TRUE(run.overflowed);
  EXPECT_LT(run.steps.size(), 100U);
  // Squares have left the range of a double by then.
  EXPECT_GT(run.steps.back().log10_potential, 308);
  EXPECT_TRUE(std::isfinite(run.steps.back().log10_potential));
}

// With gamma made from the values their scale makes no difference, even where X'X is no double.
TEST(Diagnose, GradesDoesNotDependOnTheScale) {
  const auto walk = [](int exponent) {
    DenseProblem data = random_problem(20, 8, 0.5, 3);
    for (auto& x : data.x) {
      for (double& value : x) value = std::ldexp(value, exponent);
    }
    const Problem problem = to_problem(data);
    return run_grades(*problem.train, overview_of(*problem.train), LabelMap::of_classes(-1, 1),
                      {5, std::nullopt, 4}, {});
  };
  const GradesRun plain = walk(0);
  ASSERT_EQ(plain.steps.size(), 5U);
  for (const int exponent : {600, 1000, -600, -1000}) {
    const GradesRun run = walk(exponent);
    EXPECT_FALSE(run.overflowed);
    ASSERT_EQ(run.steps.size(), plain.steps.size());
    EXPECT_NEAR(run.gamma.log10(), plain.gamma.log10() + 2 * exponent * std::log10(2.0), 1e-9);
    for (std::size_t t = 0; t < run.steps.size(); ++t) {
      EXPECT_NEAR(run.steps[t].radius.value, plain.steps[t].radius.value, 1e-9);
      EXPECT_NEAR(run.steps[t].log10_potential, plain.steps[t].log10_potential, 1e-9);
      EXPECT_EQ(run.steps[t].nonzeros, plain.steps[t].nonzeros);
    }
  }
}

TEST(Diagnose, EigenvaluesBeyondAnyDouble) {
  for (const double scale : {1e300, 1.7e308, 1e-300}) {
    DenseProblem data = random_problem(20, 30, 0.5, 3);
    for (auto& x : data.x) {
      for (double& value : x) value = value == 0 ? 0 : value / 100 * scale;
    }
    const Problem problem = to_problem(data);
    const SpectrumStats stats = measure_spectrum(*problem.train, overview_of(*problem.train), {});
    for (auto& x : data.x) {
      for (double& value : x) value /= scale;
    }
    const double truth = std::log10(top_of(dense_matrix(data))) + 2 * std::log10(scale);
    EXPECT_NEAR(stats.largest.log10(), truth, 1e-6) << scale;
  }
}

}  // namespace
}  // namespace thresh::spectrum_oracle
