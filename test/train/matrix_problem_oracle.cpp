// Rows of a matrix of the caller, in every layout, beside those of its arrays one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"

namespace thresh::matrix_problem_oracle {
namespace {

constexpr std::uint64_t kColumns = 700;

struct Arrays {
  std::vector<std::int32_t> starts, indices;
  std::vector<std::int64_t> long_starts, long_indices;
  std::vector<double> values, labels;

  MatrixView view() const {
    MatrixView csr;
    csr.layout = MatrixView::Layout::csr;
    csr.rows = labels.size(), csr.columns = kColumns, csr.entries = values.size();
    csr.starts = starts.data(), csr.indices = indices.data(), csr.values = values.data();
    csr.labels = labels;
    return csr;
  }
};

Arrays arrays(bool zeros) {
  const RandomRows rows = random_rows(5, 3000);
  Arrays made;
  made.starts = {0};
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      if (!zeros && rows.values[k] == 0) continue;
      made.indices.push_back(static_cast<std::int32_t>(rows.indices[k]));
      made.values.push_back(rows.values[k]);
    }
    made.starts.push_back(static_cast<std::int32_t>(made.indices.size()));
  }
  made.labels = rows.labels;
  made.long_starts.assign(made.starts.begin(), made.starts.end());
  made.long_indices.assign(made.indices.begin(), made.indices.end());
  return made;
}

// The rows have the entries of the arrays but zeros. Returns how many lie in the arrays themselves.
std::size_t expect_rows(const Arrays& expected, const Problem& problem) {
  std::size_t row = 0, lent = 0;
  for (std::size_t k = 0; const BlockPtr block = problem.train->block(k); ++k) {
    EXPECT_EQ(block->all_values().size(), block->starts.back());
    EXPECT_EQ(block->all_slots().size(), block->starts.back());
    std::uint64_t slot_end = 0;
    for (std::size_t i = 0; i < block->rows(); ++i, ++row) {
      const Row found = block->row(i);
      EXPECT_EQ(found.id, row);
      EXPECT_EQ(found.label, expected.labels[row]);
      const auto begin = static_cast<std::size_t>(expected.starts[row]);
      const auto end = static_cast<std::size_t>(expected.starts[row + 1]);
      lent += found.size > 0 && found.values == &expected.values[begin] ? 1 : 0;
      std::size_t at = 0;
      for (std::size_t entry = begin; entry < end; ++entry) {
        if (expected.values[entry] == 0) continue;
        EXPECT_LT(at, found.size);
        EXPECT_EQ(found.slots[at], static_cast<std::uint32_t>(expected.indices[entry]));
        EXPECT_EQ(found.values[at++], expected.values[entry]);
        slot_end = std::max<std::uint64_t>(slot_end, found.slots[at - 1] + 1ULL);
      }
      EXPECT_EQ(at, found.size);
    }
    EXPECT_EQ(block->slot_end, slot_end);
  }
  EXPECT_EQ(row, expected.labels.size());
  return lent;
}

TEST(MatrixProblem, RowsAreThoseOfTheCallerWhereTheyCanBe) {
  const Arrays plain = arrays(false);
  std::size_t with_entries = 0;
  for (std::size_t i = 0; i + 1 < plain.starts.size(); ++i) {
    with_entries += plain.starts[i] < plain.starts[i + 1] ? 1 : 0;
  }
  EXPECT_EQ(expect_rows(plain, matrix_problem(plain.view())), with_entries);
  MatrixView wide = plain.view();
  wide.index = MatrixView::Index::int64;
  wide.starts = plain.long_starts.data(), wide.indices = plain.long_indices.data();
  EXPECT_EQ(expect_rows(plain, matrix_problem(wide)), with_entries);
  const Arrays zeros = arrays(true);
  EXPECT_EQ(expect_rows(zeros, matrix_problem(zeros.view())), 0U);
}

TEST(MatrixProblem, ScaledRowsLeaveTheArraysAsTheyAre) {
  const Arrays plain = arrays(false);
  const std::vector<double> before = plain.values;
  for (const FeatureScale scale : {FeatureScale::max, FeatureScale::standard}) {
    MemoryOptions options;
    options.scale = scale;
    const Problem problem = matrix_problem(plain.view(), options);
    const BlockPtr block = problem.train->block(1);
    EXPECT_NE(block->row(0).values, &plain.values[static_cast<std::size_t>(plain.starts[1024])]);
    Options learning;
    learning.solver = "fobos";
    fit(problem, learning);
    EXPECT_EQ(plain.values, before);
  }
}

TEST(MatrixProblem, LabelsToValidateOnHaveTheSameNames) {
  Arrays plain = arrays(false);
  for (double& label : plain.labels) label = label > 0 ? 1 : 0;
  MatrixView train = plain.view(), valid = plain.view();
  train.label_names = {"no", "yes"};
  valid.label_names = {"no", "yes"};
  EXPECT_NO_THROW(matrix_problem(train, {}, &valid));
  valid.label_names = {"yes"};
  EXPECT_EQ(refusal_of([&] { matrix_problem(train, {}, &valid); }),
            "rows to validate on have other names of labels than those to learn from");
}

}  // namespace
}  // namespace thresh::matrix_problem_oracle
