// Rows of csr and csc matrices.
//
// Cost: csr is read, or lent, where it lies. It is checked first, in a pass of its own or block by
// block. csc is copied.
#pragma once

#include <atomic>
#include <memory>
#include <type_traits>
#include <vector>

#include "data/read/matrix_checks.hpp"
#include "data/read/matrix_reader.hpp"
#include "data/read/matrix_rows.hpp"

namespace thresh {

template <class Index, class Value>
class CsrReader : public MatrixReader {
 public:
  CsrReader(const MatrixView& matrix, std::uint64_t first_row, MatrixCheck check)
      : starts_(static_cast<const Index*>(matrix.starts)),
        indices_(static_cast<const Index*>(matrix.indices)),
        values_(static_cast<const Value*>(matrix.values)),
        columns_(matrix.columns),
        first_row_(first_row),
        checks_blocks_(check == MatrixCheck::by_block) {
    if (checks_blocks_) return;
    for_row_ranges(matrix.rows, [&](std::uint64_t first, std::uint64_t last) {
      if (check_rows(first, last)) has_zeros_ = true;
    });
  }

  std::uint64_t entries(std::uint64_t row) const override {
    return static_cast<std::uint64_t>(starts_[row + 1] - starts_[row]);
  }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    const bool has_zeros = checks_blocks_ ? check_rows(first, last) : has_zeros_.load();
    if (!normalize && !has_zeros && columns_ <= features.identity_end()) {
      block.slots.insert(block.slots.end(), indices_ + starts_[first], indices_ + starts_[last]);
      block.values.insert(block.values.end(), values_ + starts_[first], values_ + starts_[last]);
      return end_rows(first, last, block);
    }
    RowAppender out(static_cast<std::size_t>(starts_[last] - starts_[first]), normalize, features,
                    block);
    for (std::uint64_t row = first; row < last; ++row) {
      for (Index i = starts_[row]; i < starts_[row + 1]; ++i) {
        out.add(static_cast<std::uint64_t>(indices_[i]), static_cast<double>(values_[i]));
      }
      out.end_row();
    }
  }
  bool lend(std::uint64_t first, std::uint64_t last, bool normalize, const FeatureMap& features,
            RowBlock& block) const override {
    if constexpr (std::is_same_v<Value, double>) {
      if (normalize || columns_ > features.identity_end()) return false;
      if (checks_blocks_ ? check_rows(first, last) : has_zeros_.load()) return false;
      if constexpr (std::is_same_v<Index, std::int32_t>) {
        // Indices are not negative; the two types may be read as each other.
        block.lent_slots = reinterpret_cast<const std::uint32_t*>(indices_ + starts_[first]);
      } else {
        block.slots.assign(indices_ + starts_[first], indices_ + starts_[last]);
      }
      block.lent_values = values_ + starts_[first];
      end_rows(first, last, block);
      return true;
    }
    return false;
  }

 private:
  // Ends rows whose features are their own slots, entry by entry.
  void end_rows(std::uint64_t first, std::uint64_t last, RowBlock& block) const {
    const auto shift = static_cast<std::int64_t>(block.starts.back()) - starts_[first];
    for (std::uint64_t row = first; row < last; ++row) {
      const Index stop = starts_[row + 1];
      block.starts.push_back(static_cast<std::size_t>(stop + shift));
      if (stop == starts_[row]) continue;
      block.slot_end = std::max(block.slot_end, static_cast<std::uint64_t>(indices_[stop - 1]) + 1);
    }
  }

  // Whether the rows have stored zeros. Throws UsageError.
  bool check_rows(std::uint64_t first, std::uint64_t last) const {
    const auto n = static_cast<std::size_t>(starts_[last] - starts_[first]);
    const ValueKinds kinds = kinds_of(values_ + starts_[first], n);
    if (!kinds.all_finite || !rows_ascend(starts_, indices_, first, last, columns_)) {
      for (std::uint64_t row = first; row < last; ++row) check_slowly(row);
    }
    return kinds.has_zeros;
  }
  void check_slowly(std::uint64_t row) const {
    const std::uint64_t shown = row + first_row_;
    std::int64_t before = -1;
    for (Index i = starts_[row]; i < starts_[row + 1]; ++i) {
      const std::int64_t index = indices_[i];
      if (index < 0 || index >= static_cast<std::int64_t>(columns_)) {
        refuse_row(shown,
                   fmt::format("feature index {}, but there are {} columns", index, columns_));
      }
      if (index == before) refuse_row(shown, fmt::format("feature index {} twice", index));
      if (index < before) {
        refuse_row(shown,
                   fmt::format("feature index {} after {}: indices must ascend", index, before));
      }
      if (!is_finite_value(values_[i])) refuse_value(shown, static_cast<std::uint64_t>(index));
      before = index;
    }
  }

  const Index* starts_;
  const Index* indices_;
  const Value* values_;
  std::uint64_t columns_;
  std::uint64_t first_row_;
  bool checks_blocks_;
  std::atomic<bool> has_zeros_ = false;  // stored ones, which rows do not have
};

// The rows of a csc matrix, copied.
template <class Index, class Value>
class CscReader : public MatrixReader {
 public:
  CscReader(const MatrixView& matrix, std::uint64_t first_row) {
    const auto* const starts = static_cast<const Index*>(matrix.starts);
    const auto* const indices = static_cast<const Index*>(matrix.indices);
    const auto* const values = static_cast<const Value*>(matrix.values);
    const auto rows = static_cast<std::int64_t>(matrix.rows);
    starts_.resize(matrix.rows + 1);
    for (Index i = 0; i < starts[matrix.columns]; ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        throw UsageError(fmt::format("row number {}, but there are {} rows",
                                     static_cast<std::int64_t>(indices[i]), rows));
      }
      ++starts_[static_cast<std::size_t>(indices[i]) + 1];
    }
    for (std::size_t row = 0; row < matrix.rows; ++row) starts_[row + 1] += starts_[row];
    std::vector<Index> next(starts_.begin(), starts_.end() - 1);
    indices_.resize(static_cast<std::size_t>(starts[matrix.columns]));
    values_.resize(indices_.size());
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      for (Index i = starts[column]; i < starts[column + 1]; ++i) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(indices[i])]++);
        indices_[at] = static_cast<Index>(column);
        values_[at] = values[i];
      }
    }
    MatrixView copy = matrix;
    copy.starts = starts_.data();
    copy.indices = indices_.data();
    copy.values = values_.data();
    rows_ = std::make_unique<CsrReader<Index, Value>>(copy, first_row, MatrixCheck::at_once);
  }
  std::uint64_t entries(std::uint64_t row) const override { return rows_->entries(row); }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    rows_->append(first, last, normalize, features, block);
  }
  bool lend(std::uint64_t first, std::uint64_t last, bool normalize, const FeatureMap& features,
            RowBlock& block) const override {
    return rows_->lend(first, last, normalize, features, block);
  }

 private:
  std::vector<Index> starts_;
  std::vector<Index> indices_;
  std::vector<Value> values_;
  std::unique_ptr<CsrReader<Index, Value>> rows_;
};

}  // namespace thresh
