// Linear equations against Eigen's.

#include "sparse/cholesky.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <bit>
#include <cmath>

#include "sparse/random.hpp"

namespace thresh::cholesky_oracle {
namespace {

// G G' + I for a G of uniform numbers; what is above the diagonal is not to be read.
SquareMatrix any_definite(std::size_t size, Random& random) {
  SquareMatrix g(size), h(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) g(i, j) = random.uniform() - 0.5;
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = 0; k < size; ++k) sum += g(i, k) * g(j, k);
      h(i, j) = j > i ? std::nan("") : sum;
    }
  }
  return h;
}

std::vector<double> any_vector(std::size_t size, Random& random) {
  std::vector<double> v(size);
  for (double& x : v) x = random.uniform() - 0.5;
  return v;
}

RC_GTEST_PROP(Cholesky, SolvesWhatEigenSolves, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto size = *rc::gen::inRange<std::size_t>(0, 90);
  SquareMatrix h = any_definite(size, random);
  const std::vector<double> right = any_vector(size, random);
  const auto n = static_cast<Eigen::Index>(size);
  const Eigen::MatrixXd copy =
      Eigen::Map<const Eigen::MatrixXd>(size > 0 ? &h(0, 0) : nullptr, n, n);
  const Eigen::Map<const Eigen::VectorXd> b(right.data(), n);
  const Eigen::VectorXd expected = copy.selfadjointView<Eigen::Lower>().llt().solve(b);
  const std::vector<double> x = solve_definite(h, right);
  RC_ASSERT(x.size() == size);
  for (std::size_t i = 0; i < size; ++i) {
    RC_ASSERT(std::fabs(x[i] - expected[static_cast<Eigen::Index>(i)]) <= 1e-12 * (1 + b.norm()));
  }
}

TEST(Cholesky, IsNotFiniteWhereThereIsNoFactor) {
  SquareMatrix h(2);
  h(0, 0) = h(1, 1) = 1;
  h(1, 0) = 2;
  const std::vector<double> right = {1, 1};
  const std::vector<double> x = solve_definite(h, right);
  EXPECT_FALSE(std::isfinite(x[0]) && std::isfinite(x[1]));
}

// The sums have one order, whatever the processor: this is a constant.
TEST(Cholesky, HasTheSameBitsEverywhere) {
  Random random(4);
  SquareMatrix h = any_definite(75, random);
  std::uint64_t sum = 0;
  for (const double x : solve_definite(h, any_vector(75, random))) {
    sum = mix(sum ^ std::bit_cast<std::uint64_t>(x)) + 0x9e3779b97f4a7c15;
  }
  EXPECT_EQ(sum, 15610335479165271133U);
}

}  // namespace
}  // namespace thresh::cholesky_oracle
