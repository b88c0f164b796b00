// Checks of csr matrices with SIMD, beside checks entry by entry.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "data/read/matrix_checks.hpp"
#include "data/read/matrix_source.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "tools/error_of.hpp"

namespace thresh::matrix_checks_oracle {
namespace {

Random any_random() {
  return Random(*rc::gen::arbitrary<std::uint64_t>());
}

template <class Index>
struct Rows {
  std::vector<Index> starts{0}, indices;
};

constexpr std::uint64_t kColumns = 30;

// Rows that ascend, of which some then get a wrong index.
template <class Index>
Rows<Index> any_rows(Random& random) {
  Rows<Index> rows;
  for (std::size_t row = random.below(40); row > 0; --row) {
    const std::uint64_t sparse = 1 + random.below(20);
    for (std::uint64_t column = 0; column < kColumns; ++column) {
      if (random.below(sparse) == 0) rows.indices.push_back(static_cast<Index>(column));
    }
    rows.starts.push_back(static_cast<Index>(rows.indices.size()));
  }
  if (!rows.indices.empty() && random.below(2) == 0) {
    const Index wrong[] = {-1, static_cast<Index>(kColumns), 0, 7, 29};
    const std::size_t last = rows.indices.size() - 1;
    rows.indices[random.below(2) == 0 ? last : random.below(last + 1)] = wrong[random.below(5)];
  }
  return rows;
}

template <class Index>
bool ascend_one_by_one(const Rows<Index>& rows, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    std::int64_t before = -1;
    for (Index i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      const std::int64_t index = rows.indices[static_cast<std::size_t>(i)];
      if (index <= before || index >= static_cast<std::int64_t>(kColumns)) return false;
      before = index;
    }
  }
  return true;
}

template <class Index>
void expect_same_answer() {
  Random random = any_random();
  const Rows<Index> rows = any_rows<Index>(random);
  const std::size_t n = rows.starts.size() - 1;
  const bool all = random.below(2) == 0;
  const std::size_t first = all ? 0 : random.below(n + 1);
  const std::size_t last = all ? n : first + random.below(n - first + 1);
  RC_ASSERT(rows_ascend(rows.starts.data(), rows.indices.data(), first, last, kColumns) ==
            ascend_one_by_one(rows, first, last));
}

RC_GTEST_PROP(MatrixChecks, FindWhatDoesNotAscend, ()) {
  expect_same_answer<std::int32_t>();
  expect_same_answer<std::int64_t>();
}

template <class Value>
void expect_same_kinds() {
  Random random = any_random();
  constexpr Value kInfinite = std::numeric_limits<Value>::infinity();
  const Value odd[] = {0,
                       Value(-0.0),
                       kInfinite,
                       -kInfinite,
                       std::numeric_limits<Value>::quiet_NaN(),
                       std::numeric_limits<Value>::denorm_min(),
                       std::numeric_limits<Value>::max()};
  std::vector<Value> values(random.below(70));
  for (Value& value : values) value = static_cast<Value>(random.normal());
  if (!values.empty() && random.below(3) > 0) {
    values[random.below(values.size())] = odd[random.below(std::size(odd))];
  }
  bool finite = true, zeros = false;
  for (const Value value : values) {
    finite &= std::isfinite(value);
    zeros |= value == 0;
  }
  const ValueKinds found = kinds_of(values.data(), values.size());
  RC_ASSERT(found.all_finite == finite);
  RC_ASSERT(found.has_zeros == zeros);
}

RC_GTEST_PROP(MatrixChecks, FindOddValues, ()) {
  expect_same_kinds<double>();
  expect_same_kinds<float>();
}

// A diagonal of 3,000 rows, which are three blocks.
struct Diagonal {
  std::vector<std::int32_t> starts{0}, indices;
  std::vector<double> values;
  Diagonal() {
    for (std::int32_t row = 0; row < 3000; ++row) {
      indices.push_back(row);
      values.push_back(row + 1);
      starts.push_back(row + 1);
    }
  }
  std::shared_ptr<RowSource> rows(MatrixCheck check) const {
    MatrixView view;
    view.layout = MatrixView::Layout::csr;
    view.rows = view.columns = view.entries = values.size();
    view.starts = starts.data(), view.indices = indices.data(), view.values = values.data();
    return matrix_rows(view, false, std::make_shared<FeatureMap>(), check);
  }
};

TEST(MatrixChecks, RowsMayBeCheckedBlockByBlock) {
  Diagonal diagonal;
  diagonal.values[1500] = 0;  // this block is copied, the others are lent
  const auto at_once = diagonal.rows(MatrixCheck::at_once);
  const auto by_block = diagonal.rows(MatrixCheck::by_block);
  for (std::size_t k = 0; k < 3; ++k) {
    const BlockPtr one = at_once->block(k), other = by_block->block(k);
    EXPECT_EQ(one->starts, other->starts);
    EXPECT_EQ(other->all_values().size(), other->starts.back());
    EXPECT_TRUE(std::ranges::equal(one->all_slots(), other->all_slots()));
    EXPECT_TRUE(std::ranges::equal(one->all_values(), other->all_values()));
    EXPECT_EQ(other->lent_values == &diagonal.values[k * 1024], k != 1);
  }
}

TEST(MatrixChecks, ABadBlockIsRefusedWhenItIsRead) {
  Diagonal diagonal;
  diagonal.values[2000] = std::nan("");
  diagonal.indices[2500] = 4000;
  const auto rows = diagonal.rows(MatrixCheck::by_block);
  EXPECT_NO_THROW(rows->block(0));
  EXPECT_EQ(refusal_of([&] { rows->block(1); }), "row 2000: value of feature 2000 is not finite");
  EXPECT_EQ(refusal_of([&] { rows->block(2); }),
            "row 2500: feature index 4000, but there are 3000 columns");
  EXPECT_EQ(refusal_of([&] { diagonal.rows(MatrixCheck::at_once); }),
            "row 2000: value of feature 2000 is not finite");
}

}  // namespace
}  // namespace thresh::matrix_checks_oracle
