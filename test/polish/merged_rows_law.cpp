// Merged rows against a comparison of all pairs.

#include "polish/merged_rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/dense_rows.hpp"

namespace thresh::merged_rows_law {
namespace {

// Values and targets from few numbers, so that many rows are equal.
DenseProblem rows_with_equals(std::size_t rows, std::size_t columns, Random& random) {
  DenseProblem data = random_problem(rows, columns, 0.5, random.next());
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& value : data.x[i]) value = static_cast<double>(random.below(3)) - 1;
    data.y[i] = random.below(2) == 0 ? 1 : -1;
  }
  weigh_rows(data, random);
  return data;
}

RC_GTEST_PROP(MergedRows, HaveOneRowForAllThatAreEqual, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto columns = *rc::gen::inRange<std::size_t>(0, 5);
  const DenseProblem data = rows_with_equals(1 + random.below(80), columns, random);
  const SupportMatrix rows = matrix_of(data);
  const MergedRows got = merge_equal_rows(rows, data.y);
  std::vector<std::size_t> firsts;  // by merged row, the first original one
  Vector weights;
  RC_ASSERT(got.place.size() == rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::size_t place = 0;
    while (place < firsts.size() &&
           (data.x[firsts[place]] != data.x[i] || data.y[firsts[place]] != data.y[i])) {
      ++place;
    }
    if (place == firsts.size()) {
      firsts.push_back(i);
      weights.push_back(0);
    }
    weights[place] += rows.weights[i];
    RC_ASSERT(got.place[i] == place);
  }
  RC_ASSERT(got.rows.columns == columns);
  RC_ASSERT(got.rows.rows() == firsts.size());
  RC_ASSERT(got.rows.weights == weights);
  for (std::size_t place = 0; place < firsts.size(); ++place) {
    const SparseVector merged = got.rows.row(place), row = rows.row(firsts[place]);
    RC_ASSERT(std::vector(merged.at, merged.at + merged.size) ==
              std::vector(row.at, row.at + row.size));
    RC_ASSERT(std::vector(merged.values, merged.values + merged.size) ==
              std::vector(row.values, row.values + row.size));
    RC_ASSERT(got.targets[place] == data.y[firsts[place]]);
  }
}

SingleColumn column_of(const DenseProblem& data, std::size_t j) {
  SingleColumn column;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (data.x[i][j] == 0) continue;
    column.rows.push_back(static_cast<std::uint32_t>(i));
    column.values.push_back(data.x[i][j]);
  }
  return column;
}

DenseProblem without(DenseProblem data, std::size_t j) {
  --data.features;
  for (Vector& x : data.x) x.erase(x.begin() + static_cast<std::ptrdiff_t>(j));
  return data;
}

void expect_equal(const MergedRows& a, const MergedRows& b) {
  RC_ASSERT(a.place == b.place);
  RC_ASSERT(a.targets == b.targets);
  RC_ASSERT(a.rows.columns == b.rows.columns);
  RC_ASSERT(a.rows.starts == b.rows.starts);
  RC_ASSERT(a.rows.at == b.rows.at);
  RC_ASSERT(a.rows.values == b.rows.values);
  RC_ASSERT(a.rows.weights == b.rows.weights);
  RC_ASSERT(a.rows.labels == b.rows.labels);
}

RC_GTEST_PROP(MergedRows, FollowAColumnThatEntersOrLeaves, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto columns = *rc::gen::inRange<std::size_t>(1, 6);
  const DenseProblem data = rows_with_equals(1 + random.below(80), columns, random);
  const std::size_t j = random.below(columns);
  const MergedRows all = merge_equal_rows(matrix_of(data), data.y);
  const MergedRows rest = merge_equal_rows(matrix_of(without(data, j)), data.y);
  const auto at = static_cast<std::uint32_t>(j);
  expect_equal(with_column(rest, at, column_of(data, j), data.s), all);
  expect_equal(without_column(all, at, data.s), rest);
}

TEST(MergedRows, AreKeptIfAQuarterOfTheRowsGoes) {
  DenseProblem data;
  data.features = 1;
  for (const double x : {1, 2, 3, 1}) {
    data.x.push_back({x});
    data.y.push_back(1);
    data.s.push_back(1);
  }
  SupportMatrix rows = matrix_of(data);
  std::vector<double> targets = data.y;
  EXPECT_EQ(merge_if_many_are_equal(rows, targets), 1u);
  EXPECT_EQ(rows.weights, (Vector{2, 1, 1}));
  EXPECT_EQ(targets, (Vector{1, 1, 1}));
  data.x.push_back({4});
  data.y.push_back(1);
  data.s.push_back(1);
  rows = matrix_of(data);
  targets = data.y;
  EXPECT_EQ(merge_if_many_are_equal(rows, targets), 0u);
  EXPECT_EQ(rows.rows(), 5u);
  EXPECT_EQ(targets.size(), 5u);
}

}  // namespace
}  // namespace thresh::merged_rows_law
