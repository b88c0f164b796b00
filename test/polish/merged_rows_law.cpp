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

}  // namespace
}  // namespace thresh::merged_rows_law
