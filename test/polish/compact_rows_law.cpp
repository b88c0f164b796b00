// Products of the compact copy of rows, against exact ones.

#include "polish/compact_rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "polish/dense_rows.hpp"

namespace thresh::compact_rows_law {
namespace {

// Each row has a few of the columns; low ones are frequent.
SupportMatrix sparse_rows(std::size_t columns, std::size_t count, Random& random) {
  SupportMatrix rows;
  rows.columns = columns;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> at;
    for (int k = 0; k < 8; ++k) {
      const double place = std::pow(random.uniform(), 3) * static_cast<double>(columns);
      at.push_back(
          static_cast<std::uint32_t>(static_cast<double>(columns) - 1 - std::floor(place)));
    }
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    for (const std::uint32_t column : at) {
      rows.at.push_back(column);
      rows.values.push_back(random.normal());
    }
    rows.starts.push_back(rows.at.size());
    rows.labels.push_back(random.uniform() < 0.5 ? -1 : 1);
    rows.weights.push_back(1);
  }
  return rows;
}

std::vector<double> any_numbers(std::size_t n, Random& random) {
  std::vector<double> numbers(n);
  for (double& number : numbers) number = random.normal();
  return numbers;
}

void has_the_products_of(const SupportMatrix& rows, Random& random) {
  const CompactRows copy(rows);
  const std::vector<double> v = any_numbers(rows.columns, random);
  ASSERT_EQ(copy.restored(copy.arranged(v)), v);
  const RidgeVector arranged{copy.arranged(v), 0.5};
  RidgeVector sums{copy.arranged(v), 2}, squares{copy.arranged(v), 3};
  RidgeVector naive{v, 2}, naive_squares{v, 3};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double curvature = random.uniform();
    copy.add_product(i, arranged, curvature, sums);
    copy.add_squares(i, curvature, squares);
    double moved = 0.5;
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      moved += v[rows.at[k]] * rows.values[k];
    }
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      naive.weights[rows.at[k]] += curvature * moved * rows.values[k];
      naive_squares.weights[rows.at[k]] += curvature * rows.values[k] * rows.values[k];
    }
    naive.intercept += curvature * moved;
    naive_squares.intercept += curvature;
  }
  constexpr double kSingle = 1e-4;
  const std::vector<double> got = copy.restored(sums.weights);
  const std::vector<double> got_squares = copy.restored(squares.weights);
  for (std::size_t j = 0; j < rows.columns; ++j) {
    ASSERT_NEAR(got[j], naive.weights[j], kSingle) << j;
    ASSERT_NEAR(got_squares[j], naive_squares.weights[j], kSingle) << j;
  }
  EXPECT_NEAR(sums.intercept, naive.intercept, kSingle);
  EXPECT_NEAR(squares.intercept, naive_squares.intercept, kSingle);
}

RC_GTEST_PROP(CompactRows, HaveTheProductsOfTheRows, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  has_the_products_of(sparse_rows(1 + random.below(300), random.below(100), random), random);
}

// Places of 16 bits do not suffice.
TEST(CompactRows, HaveTheProductsOfRowsWithManyColumns) {
  Random random(3);
  for (const std::size_t columns : {65'536, 65'537, 200'000}) {
    has_the_products_of(sparse_rows(columns, 500, random), random);
  }
}

TEST(CompactRows, HoldValuesOfSinglePrecisionOnly) {
  Random random(3);
  SupportMatrix rows = sparse_rows(20, 10, random);
  EXPECT_TRUE(CompactRows::can_hold(rows));
  rows.values[3] = 0;
  EXPECT_TRUE(CompactRows::can_hold(rows));
  for (const double value : {1e39, -1e39, 1e-46, -1e-46}) {
    rows.values[3] = value;
    EXPECT_FALSE(CompactRows::can_hold(rows)) << value;
  }
}

// The equations are those of single precision, the optimum is not.
TEST(CompactRows, LeaveTheOptimumOfAFitWhereItIs) {
  Random random(5);
  SupportMatrix rows = sparse_rows(400, 40'000, random);
  const RidgeProblem problem(rows, rows.labels, LossFunction(Loss::logistic), true);
  ASSERT_TRUE(problem.is_large());
  constexpr double kRidge = 3;
  const RidgeModel got = problem.fit(kRidge, {}, {.converged = 1e-15});
  const std::vector<double> margins = problem.margins(got);
  std::vector<double> slopes(rows.columns);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double slope = -rows.labels[i] / (1 + std::exp(rows.labels[i] * margins[i]));
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      slopes[rows.at[k]] += slope * rows.values[k];
    }
  }
  for (std::size_t j = 0; j < rows.columns; ++j) {
    EXPECT_NEAR(slopes[j] + kRidge * got.weights[j], 0, 1e-5) << j;
  }
}

}  // namespace
}  // namespace thresh::compact_rows_law
