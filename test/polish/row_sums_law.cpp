// Sums over many rows, by several cores, against one loop; and fits of so many rows.

#include <gtest/gtest.h>

#include "polish/dense_rows.hpp"
#include "thresh/threads.hpp"

namespace thresh::row_sums_law {
namespace {

// Enough entries for several parts.
SupportMatrix many_rows(std::size_t columns, Random& random) {
  constexpr std::size_t kRows = 9000;
  SupportMatrix rows;
  rows.columns = columns;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      if (random.uniform() < 0.5) continue;
      rows.at.push_back(j);
      rows.values.push_back(random.normal());
    }
    rows.starts.push_back(rows.at.size());
    rows.labels.push_back(random.uniform() < 0.5 ? -1 : 1);
    rows.weights.push_back(0.5 + random.uniform());
  }
  return rows;
}

TEST(RowSums, HaveMorePartsOnlyForManyEntriesAColumn) {
  EXPECT_EQ(RowSums::parts_of(0, 0), 1u);
  EXPECT_EQ(RowSums::parts_of((1 << 18) - 1, 10), 1u);
  EXPECT_EQ(RowSums::parts_of(1 << 18, 10), 2u);
  EXPECT_EQ(RowSums::parts_of(1 << 18, 100'000), 1u);
  EXPECT_EQ(RowSums::parts_of(std::size_t{1} << 40, 10), 16u);
}

TEST(RowSums, AreThoseOfOneLoop) {
  Random random(1);
  const SupportMatrix rows = many_rows(80, random);
  ASSERT_GT(RowSums::parts_of(rows.entries(), rows.columns), 1u);
  std::vector<double> factors, weights;
  for (std::size_t i = 0; i < rows.rows(); ++i) factors.push_back(random.normal());
  for (std::size_t j = 0; j < rows.columns; ++j) weights.push_back(random.normal());
  std::vector<double> margins(rows.rows()), naive_margins, naive(rows.columns, 0.25);
  double intercept = 3;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double sum = 0.5;
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      sum += weights[rows.at[k]] * rows.values[k];
      naive[rows.at[k]] += factors[i] * rows.values[k];
    }
    naive_margins.push_back(sum);
    intercept += factors[i];
  }
  const RowSums sums(rows);
  sums.by_row(weights, 0.5, margins);
  for (int time = 0; time < 2; ++time) {
    const RidgeVector columns =
        sums.by_column({std::vector<double>(rows.columns, 0.25), 3},
                       [&](std::size_t i, const SparseVector& row, RidgeVector& part) {
                         part.add(row, factors[i]);
                       });
    for (std::size_t j = 0; j < rows.columns; ++j) {
      EXPECT_NEAR(columns.weights[j], naive[j], 1e-9);
    }
    EXPECT_NEAR(columns.intercept, intercept, 1e-9);
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) EXPECT_NEAR(margins[i], naive_margins[i], 1e-9);
}

TEST(RowSums, OfAFitDoNotDependOnTheNumberOfThreads) {
  Random random(2);
  const SupportMatrix rows = many_rows(80, random);
  const RidgeProblem problem(rows, rows.labels, LossFunction(Loss::logistic), true);
  ASSERT_EQ(problem.method(std::vector<double>(80, 1)), RidgeProblem::Method::conjugates);
  const RidgeModel all = problem.fit(1, {});
  const ThreadLimit one(1);
  const RidgeModel alone = problem.fit(1, {});
  EXPECT_EQ(all.weights, alone.weights);
  EXPECT_EQ(all.intercept, alone.intercept);
}

TEST(RowSums, OfAStoppedFitAreNotMade) {
  Random random(3);
  const SupportMatrix rows = many_rows(80, random);
  RidgeProblem problem(rows, rows.labels, LossFunction(Loss::logistic), true);
  const std::atomic<bool> stop = true;
  problem.end_with(&stop);
  EXPECT_EQ(problem.fit(1, {}).weights, std::vector<double>(80));
}

}  // namespace
}  // namespace thresh::row_sums_law
