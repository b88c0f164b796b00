// Contrasts of features against their definition on dense rows; ridges divided by shares against
// columns multiplied by their roots.

#include "polish/contrast.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "polish/dense_rows.hpp"
#include "polish/strength.hpp"

namespace thresh::contrast_oracle {
namespace {

double plain_contrast(const DenseProblem& data, std::size_t j, double ratio) {
  double count = 0, sum = 0, positive = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (data.x[i][j] == 0) continue;
    count += data.s[i];
    sum += data.s[i] * std::fabs(data.x[i][j]);
    if (data.y[i] > 0) positive += data.s[i] * std::fabs(data.x[i][j]);
  }
  if (count == 0) return 0.05;
  const double mean = sum / count;
  const double p = positive / mean + 0.5, q = (sum - positive) / mean + 0.5;
  return std::max(0.05, std::fabs(std::log(p / q) - std::log(ratio)));
}

RC_GTEST_PROP(Contrasts, AreThoseOfTheDefinition, ()) {
  DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  weigh_rows(data, random);
  const double ratio = *rc::gen::element(0.1, 0.7, 1.0, 30.0);
  const std::vector<double> got = contrasts(matrix_of(data), data.y, ratio);
  RC_ASSERT(got.size() == data.features);
  for (std::size_t j = 0; j < data.features; ++j) {
    RC_ASSERT(std::fabs(got[j] - plain_contrast(data, j, ratio)) <= 1e-9);
  }
}

// Ten rows of each class. Feature 0 is in all positive rows, feature 1 in the same share of both
// classes, feature 2 in one row; values do not matter.
TEST(Contrasts, AreLargeWhereClassesDiffer) {
  DenseProblem data{3, {}, {}, {}};
  for (int i = 0; i < 20; ++i) {
    const bool positive = i < 10;
    data.x.push_back({positive ? 100.0 : 0.0, i % 2 == 0 ? 0.01 : 0.0, i == 0 ? 1.0 : 0.0});
    data.y.push_back(positive ? 1 : -1);
    data.s.push_back(1);
  }
  const std::vector<double> got = contrasts(matrix_of(data), data.y, 1);
  EXPECT_NEAR(got[0], std::log(10.5 / 0.5), 1e-12);
  EXPECT_EQ(got[1], 0.05);
  EXPECT_NEAR(got[2], std::log(3), 1e-12);
  // Positive rows are twice as long: what is in all of them is less of a contrast.
  EXPECT_NEAR(contrasts(matrix_of(data), data.y, 2)[0], std::log(10.5), 1e-12);
  for (const double none : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(contrasts(matrix_of(data), data.y, none), got) << none;
  }
}

RC_GTEST_PROP(Contrasts, SharesAreLargerForLargerColumns, ()) {
  DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  weigh_rows(data, random);
  Vector squares(data.features);
  double all = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    for (std::size_t j = 0; j < data.features; ++j) {
      const double square = data.s[i] * data.x[i][j] * data.x[i][j];
      squares[j] += square;
      all += square;
    }
  }
  const std::vector<double> got = contrast_shares(matrix_of(data), data.y, 1);
  for (std::size_t j = 0; j < data.features; ++j) {
    const double size = std::sqrt(squares[j] * static_cast<double>(data.features) / all);
    const double expected = plain_contrast(data, j, 1) * (all > 0 ? std::max(size, 1e-3) : 1);
    RC_ASSERT(std::fabs(got[j] - expected) <= 1e-9 * (1 + expected));
  }
}

RC_GTEST_PROP(Contrasts, SharesOfARidgeAreScalesOfColumns, ()) {
  const DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> shares;
  DenseProblem scaled = data;
  for (std::size_t j = 0; j < data.features; ++j) {
    shares.push_back(0.05 + 3 * random.uniform());
    for (Vector& x : scaled.x) x[j] *= std::sqrt(shares[j]);
  }
  const SupportMatrix rows = matrix_of(data), scaled_rows = matrix_of(scaled);
  const LossFunction loss(Loss::logistic);
  HeldOutFit fit{RidgeProblem(rows, data.y, loss, true), RidgeProblem(rows, data.y, loss, true)};
  fit.shares = shares;
  const double ridge = *rc::gen::element(0.01, 1.0);
  const RidgeModel got = fit.fit(ridge, {});
  const RidgeModel expected = RidgeProblem(scaled_rows, data.y, loss, true).fit(ridge, {});
  RC_ASSERT(std::fabs(got.objective - expected.objective) <= 1e-8 * expected.objective);
}

TEST(Contrasts, StrengthOfIsTheInverseOfRidgeAt) {
  for (int k = kWeakest; k <= kStrongest; ++k) EXPECT_EQ(strength_of(ridge_at(k)), k);
  EXPECT_EQ(strength_of(1e-30), kWeakest);
  EXPECT_EQ(strength_of(1e30), kStrongest);
  EXPECT_EQ(strength_of(2), 1);
}

}  // namespace
}  // namespace thresh::contrast_oracle
