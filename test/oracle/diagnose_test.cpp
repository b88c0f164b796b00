// diagnose against the slow and obvious: dense eigenvalues, a dense GraDes, frexp, pairs of
// columns.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "diagnose/findings.hpp"
#include "oracle/problems.hpp"
#include "sparse/random.hpp"

namespace thresh {
namespace {

Eigen::MatrixXd dense(const DenseProblem& data) {
  Eigen::MatrixXd x(data.x.size(), data.features);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    for (std::size_t j = 0; j < data.features; ++j) x(i, j) = data.x[i][j];
  }
  return x;
}

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
  const Overview overview = look_at(*problem.train);
  const SpectralLook look = look_at_spectrum(*problem.train, overview, 3.0);
  const Eigen::MatrixXd x = dense(data);
  Eigen::MatrixXd ones(x.rows(), x.cols() + 1);
  ones << x, Eigen::VectorXd::Ones(x.rows());
  RC_ASSERT(std::fabs(look.largest.plain() - top_of(x)) <= 1e-6 * top_of(x));
  RC_ASSERT(std::fabs(look.with_intercept.plain() - top_of(ones)) <= 1e-6 * top_of(ones));
}

// D_J M is not symmetric: the dense twin takes it as it stands, with any J and gamma.
RC_GTEST_PROP(Diagnose, RadiusOfTheProjectedMatrixIsTheDenseOne, ()) {
  const DenseProblem data = wide_or_long();
  const double gamma = *rc::gen::element(0.5, 3.0, 20.0, 100.0, 1000.0);
  const Problem problem = to_problem(data);
  const Overview overview = look_at(*problem.train);
  const Eigen::MatrixXd x = dense(data);
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
  const Overview overview = look_at(*problem.train);
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 41);
  const double gamma = *rc::gen::element(3.0, 100.0, 1000.0);
  const GradesRun run =
      run_grades(*problem.train, overview, LabelMap::of_classes(-1, 1), {k, gamma, 6}, {});
  const Eigen::MatrixXd x = dense(data);
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
  const Overview overview = look_at(*problem.train);
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
    return run_grades(*problem.train, look_at(*problem.train), LabelMap::of_classes(-1, 1),
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
    const SpectralLook look = look_at_spectrum(*problem.train, look_at(*problem.train), {});
    for (auto& x : data.x) {
      for (double& value : x) value /= scale;
    }
    const double truth = std::log10(top_of(dense(data))) + 2 * std::log10(scale);
    EXPECT_NEAR(look.largest.log10(), truth, 1e-6) << scale;
  }
}

RC_GTEST_PROP(Diagnose, ExponentsAreThoseOfFrexp, (std::vector<double> numbers)) {
  Model model;
  int largest = -5000;
  double sum = 0;
  for (const double number : numbers) {
    if (number == 0 || !std::isfinite(number)) continue;
    model.coefficients.push_back({model.coefficients.size() + 1, number, ""});
    int exponent = 0;
    std::frexp(number, &exponent);  // of a fraction in [1/2, 1)
    largest = std::max(largest, exponent - 1);
    sum += exponent - 1;
  }
  const Exponents exponents = exponents_of(model);
  const auto n = static_cast<double>(model.coefficients.size());
  RC_ASSERT(exponents.total == model.coefficients.size());
  RC_PRE(n > 0);
  std::uint64_t within = 0;
  double squares = 0;
  for (const Coefficient& c : model.coefficients) {
    int exponent = 0;
    std::frexp(c.weight, &exponent);
    within += exponent - 1 >= largest - 51;
    squares += std::pow(exponent - 1 - sum / n, 2);
  }
  RC_ASSERT(exponents.counts.rbegin()->first == largest);
  RC_ASSERT(exponents.within == within);
  RC_ASSERT(std::fabs(exponents.mean() - sum / n) <= 1e-9 * (1 + std::fabs(sum / n)));
  RC_ASSERT(std::fabs(exponents.deviation() - std::sqrt(squares / n)) <= 1e-6);
}

TEST(Diagnose, ExponentsOfClassesHaveTheirOwnLargest) {
  Model model;
  model.classes = {{0, 0, {{1, 0x1p0, ""}, {2, 0x1p-51, ""}, {3, 0x1p-52, ""}}},
                   {1, 0, {{1, 0x1p-100, ""}, {2, 0x1p-1074, ""}}}};
  const Exponents exponents = exponents_of(model);
  EXPECT_EQ(exponents.total, 5U);
  EXPECT_EQ(exponents.within, 3U);
  EXPECT_EQ(exponents.counts.begin()->first, -1074);
}

TEST(Diagnose, TermsThatVanishBesideTheLargest) {
  DenseProblem data;
  data.features = 6;
  data.x = {{1, 0x1p-24, 0x1p-53, 0x1p-23, 0x1p-52, 0}, {0, 0, 0, 0, 0, 4}};
  data.y = {1, -1};
  const Problem problem = to_problem(data);
  const ValueLook equal = look_at_values(*problem.train, nullptr, *problem.features, 4);
  EXPECT_EQ(equal.in_double.terms, 6U);
  EXPECT_EQ(equal.in_double.lost, 1U);  // 1 + 2^-53 rounds to even
  EXPECT_EQ(equal.in_float.lost, 3U);   // all but 1, 2^-23 and the 4 of the other row
  EXPECT_DOUBLE_EQ(equal.in_double.mass, (5 + 0x1p-24 + 0x1p-53 + 0x1p-23 + 0x1p-52) / 4);
  EXPECT_DOUBLE_EQ(equal.in_double.lost_mass, 0x1p-53 / 4);

  Model model;  // a feature without a weight takes no part, and small values may weigh much
  model.coefficients = {{1, 1, ""}, {2, 0x1p-40, ""}, {3, 0x1p53, ""}};
  const ValueLook weighed = look_at_values(*problem.train, &model, *problem.features, 4);
  EXPECT_EQ(weighed.in_double.terms, 3U);
  EXPECT_EQ(weighed.in_double.lost, 1U);
  EXPECT_EQ(weighed.in_float.lost, 1U);
}

RC_GTEST_PROP(Diagnose, ColumnsThatAreEqualOrConstant, ()) {
  DenseProblem data = any_problem();
  for (std::size_t j = 0; j < data.features; ++j) {  // make some of them so
    const auto what = *rc::gen::inRange(0, 4);
    const auto other = *rc::gen::inRange<std::size_t>(0, data.features);
    for (auto& x : data.x) {
      if (what == 0) x[j] = x[other];
      if (what == 1) x[j] = 2.5;
    }
  }
  const Problem problem = to_problem(data);
  const Overview overview = look_at(*problem.train);
  const Eigen::MatrixXd x = dense(data);
  std::uint64_t duplicates = 0;
  std::uint64_t constants = 0;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    if (!x.col(j).any()) continue;
    constants += (x.col(j).array() == x(0, j)).all();
    bool before = false;
    for (Eigen::Index i = 0; i < j; ++i) before = before || x.col(i) == x.col(j);
    duplicates += before;
  }
  RC_ASSERT(overview.duplicate_columns() == duplicates);
  RC_ASSERT(overview.constant_columns() == constants);
}

RC_GTEST_PROP(Diagnose, TwinsAreCountedByPairs, ()) {
  const auto kinds = *rc::gen::container<std::vector<std::pair<std::uint8_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::uint8_t>(0, 9), rc::gen::arbitrary<bool>()));
  Twins twins;
  for (const auto& [kind, label] : kinds) twins.add(mix(kind + 1U), label ? 1 : -1);
  std::uint64_t copies = 0;
  std::uint64_t outvoted = 0;
  for (unsigned kind = 0; kind < 9; ++kind) {
    const auto count = [&](bool label) {
      return static_cast<std::uint64_t>(std::count(
          kinds.begin(), kinds.end(), std::pair(static_cast<std::uint8_t>(kind), label)));
    };
    if (count(true) + count(false) < 2) continue;
    copies += count(true) + count(false);
    outvoted += std::min(count(true), count(false));
  }
  RC_ASSERT(twins.counts().rows == kinds.size());
  RC_ASSERT(twins.counts().copies == copies);
  RC_ASSERT(twins.counts().outvoted == outvoted);
}

// Half of the kinds have a twin, a quarter of the pairs disagree; few kinds are followed to the
// end.
TEST(Diagnose, TwinsInLittleMemoryKeepTheirShares) {
  Twins twins(1000);
  for (int copy = 0; copy < 2; ++copy) {
    for (std::uint64_t kind = 1; kind <= 100000; ++kind) {
      if (copy == 1 && kind % 2 == 0) continue;
      twins.add(mix(kind), copy == 1 && kind % 8 == 1 ? 1 : -1);
    }
  }
  const Twins::Counts counts = twins.counts();
  EXPECT_LT(counts.share_followed, 0.02);
  EXPECT_LT(counts.rows, 2000U);
  EXPECT_NEAR(static_cast<double>(counts.copies) / static_cast<double>(counts.rows), 2.0 / 3, 0.05);
  EXPECT_NEAR(static_cast<double>(counts.outvoted) / static_cast<double>(counts.copies), 0.125,
              0.03);
}

TEST(Diagnose, QuantilesAreWithinABin) {
  LogHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(std::log2(i));
  EXPECT_NEAR(std::exp2(histogram.quantile(0.5)), 500, 25);
  EXPECT_NEAR(static_cast<double>(histogram.above(std::log2(900))), 100, 45);
  EXPECT_NEAR(static_cast<double>(histogram.below(std::log2(100))), 100, 5);
}

}  // namespace
}  // namespace thresh
