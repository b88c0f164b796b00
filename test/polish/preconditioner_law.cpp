// A factorised matrix of an earlier point: when it is made, and what it solves.

#include "polish/preconditioner.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/dense_rows.hpp"
#include "polish/ridge.hpp"

namespace thresh::preconditioner_law {
namespace {

SupportMatrix full_rows(std::size_t rows, std::size_t columns) {
  DenseProblem data = random_problem(rows, columns, 1, 1);
  for (Vector& x : data.x) x.assign(columns, 1);
  return matrix_of(data);
}

TEST(Preconditioner, IsMadeOnceProductsHaveCostAsMuch) {
  const SupportMatrix rows = full_rows(1000, 24);
  Preconditioner one(rows);
  EXPECT_FALSE(one.is_due());
  // 1,000 rows of 24^2 / 2 = 288 products, and 576 of the factorisation. A product has 48 each.
  one.count(6);
  EXPECT_FALSE(one.is_due());
  one.count(1);
  EXPECT_TRUE(one.is_due());
  EXPECT_FALSE(one.is_made());
  one.make(curved_products(rows, std::vector<double>(1000, 1.0)));
  EXPECT_FALSE(one.is_due());
}

TEST(Preconditioner, IsNeverMadeWhereUsingItCostsMoreThanAProduct) {
  const SupportMatrix few = full_rows(12, 25), enough = full_rows(13, 25);
  Preconditioner never(few), later(enough);
  never.count(1'000'000);
  later.count(1'000'000);
  EXPECT_FALSE(never.is_due());
  EXPECT_TRUE(later.is_due());
}

TEST(Preconditioner, IsNotKeptIfTheMatrixIsNotDefinite) {
  const SupportMatrix rows = full_rows(10, 2);
  Preconditioner one(rows);
  SquareMatrix matrix(3);
  matrix(0, 0) = 1;
  matrix(1, 1) = -1;
  matrix(2, 2) = 1;
  one.make(matrix);
  EXPECT_FALSE(one.is_made());
  matrix(1, 1) = 1;
  one.make(matrix);
  EXPECT_TRUE(one.is_made());
  one.forget();
  EXPECT_FALSE(one.is_made());
}

RC_GTEST_PROP(Preconditioner, SolvesItsEquations, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 9);
  const DenseProblem data = random_problem(40, columns, 0.5, *rc::gen::arbitrary<std::uint64_t>());
  const SupportMatrix rows = matrix_of(data);
  SquareMatrix matrix = curved_products(rows, std::vector<double>(40, 0.2));
  for (std::size_t j = 0; j <= columns; ++j) matrix(j, j) += 0.1;
  Preconditioner one(rows);
  one.make(matrix);
  RidgeVector right{Vector(columns), 2};
  for (std::size_t j = 0; j < columns; ++j) right.weights[j] = static_cast<double>(j) - 1.5;
  const RidgeVector got = one.solve(right);
  for (std::size_t p = 0; p <= columns; ++p) {
    double sum = 0;
    for (std::size_t q = 0; q <= columns; ++q) {
      sum +=
          matrix(std::max(p, q), std::min(p, q)) * (q < columns ? got.weights[q] : got.intercept);
    }
    RC_ASSERT(std::fabs(sum - (p < columns ? right.weights[p] : right.intercept)) < 1e-9);
  }
}

}  // namespace
}  // namespace thresh::preconditioner_law
