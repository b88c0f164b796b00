// The logistic loss of many rows at once against the library's functions, row by row.

#include "loss/logistic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sparse/random.hpp"

namespace thresh::logistic_oracle {
namespace {

using Real = long double;

Real loss_of(Real m) {
  return std::log1p(std::exp(-std::fabs(m))) + std::max<Real>(-m, 0);
}

Real conjugate_of(Real z) {
  return (z > 0 ? z * std::log(z) : 0) + (z < 1 ? (1 - z) * std::log1p(-z) : 0);
}

struct Rows {
  std::vector<double> margins, labels, shares, slopes, curvatures;

  Rows(std::size_t n, double scale, std::uint64_t seed) : slopes(n), curvatures(n) {
    Random random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      margins.push_back(std::clamp(scale * random.normal(), -700.0, 700.0));
      labels.push_back(random.below(2) == 0 ? -1 : 1);
      shares.push_back(0.1 + random.uniform());
    }
  }
  double losses() {
    return logistic_losses(margins.size(), margins.data(), labels.data(), shares.data(),
                           slopes.data(), curvatures.data());
  }
};

// Any number of rows: the last ones are not a whole register.
RC_GTEST_PROP(Logistic, AgreesWithTheFunctionsOfOneRow, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, kLogisticRows + 1);
  const double scale = *rc::gen::element(1e-9, 0.01, 1.0, 10.0, 300.0);
  Rows rows(n, scale, *rc::gen::arbitrary<std::uint64_t>());
  const Real near = 1e-14L;
  Real sum = 0;
  const double got = rows.losses();
  for (std::size_t i = 0; i < n; ++i) {
    const Real m = Real(rows.labels[i]) * rows.margins[i], share = rows.shares[i];
    const Real slope = -share * rows.labels[i] / (1 + std::exp(m));
    const Real curvature = share / ((1 + std::exp(m)) * (1 + std::exp(-m)));
    RC_ASSERT(std::fabs(rows.slopes[i] - slope) <= near * std::fabs(slope));
    RC_ASSERT(std::fabs(rows.curvatures[i] - curvature) <= near * curvature);
    sum += share * loss_of(m);
  }
  RC_ASSERT(std::fabs(got - sum) <= near * sum);
}

RC_GTEST_PROP(Logistic, ConjugatesAgreeToo, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, kLogisticRows + 1);
  const double scale = *rc::gen::element(1e-9, 0.01, 1.0, 10.0, 300.0);
  const double times = *rc::gen::element(1.0, 0.999999, 0.5, 1e-3);
  Rows rows(n, scale, *rc::gen::arbitrary<std::uint64_t>());
  rows.losses();
  Real sum = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Real term =
        rows.shares[i] * conjugate_of(times * std::fabs(Real(rows.slopes[i])) / rows.shares[i]);
    sum += term;
    size += std::fabs(term);
  }
  const double got = logistic_conjugates(n, rows.slopes.data(), rows.shares.data(), times);
  // Where a slope is almost 1, what it lacks has few digits; that is all that is lost.
  RC_ASSERT(std::fabs(got - sum) <= 1e-14L * size + 1e-13L * static_cast<Real>(n));
}

// Rows far beyond what e^x can hold, and none at all.
TEST(Logistic, ExtremesStayFinite) {
  for (const double margin : {-1e300, -1e4, 0.0, 1e4, 1e300}) {
    double slope = 0, curvature = 0;
    const double label = 1, share = 1;
    const double loss = logistic_losses(1, &margin, &label, &share, &slope, &curvature);
    EXPECT_DOUBLE_EQ(loss, margin < 0 ? -margin : margin > 0 ? loss : std::log(2.0));
    EXPECT_TRUE(loss >= 0 && std::isfinite(loss));
    EXPECT_TRUE(slope <= 0 && slope >= -1);
    EXPECT_TRUE(curvature >= 0 && curvature <= 0.25);
    EXPECT_NEAR(logistic_conjugates(1, &slope, &share, 1), margin == 0 ? -std::log(2.0) : 0, 1e-15);
  }
  const double zero = 0, one = 1;
  EXPECT_EQ(logistic_conjugates(1, &zero, &one, 1), 0);
  EXPECT_EQ(logistic_conjugates(1, &one, &one, 1), 0);
  EXPECT_EQ(logistic_conjugates(0, &zero, &one, 1), 0);
}

}  // namespace
}  // namespace thresh::logistic_oracle
