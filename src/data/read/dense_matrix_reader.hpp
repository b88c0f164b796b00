// Rows of dense matrices of any strides, read where they lie after one pass that checks them.
#pragma once

#include <cstdlib>
#include <cstring>
#include <vector>

#include "data/read/matrix_reader.hpp"
#include "data/read/matrix_rows.hpp"

namespace thresh {

template <class Value>
class DenseReader : public MatrixReader {
 public:
  DenseReader(const MatrixView& matrix, std::uint64_t first_row) : matrix_(matrix) {
    // Up to this many columns, a block is full by its number of rows.
    constexpr std::uint64_t kNarrow = kBlockEntries / kBlockRows;
    if (matrix.columns > kNarrow) counts_.resize(matrix.rows);
    for_row_ranges(matrix.rows,
                   [&](std::uint64_t first, std::uint64_t last) { check(first, last, first_row); });
  }

  std::uint64_t entries(std::uint64_t row) const override {
    return counts_.empty() ? 0 : counts_[row];
  }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    // Columns that are contiguous are read one after the other, for all rows.
    if (std::abs(matrix_.row_stride) < std::abs(matrix_.column_stride)) {
      append_by_columns(first, last, normalize, features, block);
    } else {
      RowAppender out((last - first) * matrix_.columns, normalize, features, block);
      for (std::uint64_t row = first; row < last; ++row) {
        for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
          out.add(column, at(row, column));
        }
        out.end_row();
      }
    }
  }

 private:
  double at(std::uint64_t row, std::uint64_t column) const {
    const char* const place = static_cast<const char*>(matrix_.values) +
                              static_cast<std::ptrdiff_t>(row) * matrix_.row_stride +
                              static_cast<std::ptrdiff_t>(column) * matrix_.column_stride;
    Value value;
    std::memcpy(&value, place, sizeof value);  // it need not be aligned
    return static_cast<double>(value);
  }

  void append_by_columns(std::uint64_t first, std::uint64_t last, bool normalize,
                         FeatureMap& features, RowBlock& block) const {
    const std::uint64_t rows = last - first;
    RowAppender out(rows * matrix_.columns, normalize, features, block);
    const std::size_t begin = block.starts.back();
    std::vector<std::size_t> ends(rows);
    for (std::uint64_t i = 0; i < rows; ++i) ends[i] = begin + i * matrix_.columns;
    for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
      for (std::uint64_t i = 0; i < rows; ++i) {
        const double value = at(first + i, column);
        if (value != 0) out.put(ends[i]++, column, value);
      }
    }
    for (std::uint64_t i = 0; i < rows; ++i) out.end_row(begin + i * matrix_.columns, ends[i]);
  }

  void check(std::uint64_t first, std::uint64_t last, std::uint64_t first_row) {
    const bool by_columns = std::abs(matrix_.row_stride) < std::abs(matrix_.column_stride);
    bool good = true;
    const auto look = [&](std::uint64_t row, std::uint64_t column) {
      const double value = at(row, column);
      good &= is_finite_value(value);
      if (!counts_.empty() && value != 0) ++counts_[row];
    };
    if (by_columns) {
      for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
        for (std::uint64_t row = first; row < last; ++row) look(row, column);
      }
    } else {
      for (std::uint64_t row = first; row < last; ++row) {
        for (std::uint64_t column = 0; column < matrix_.columns; ++column) look(row, column);
      }
    }
    if (good) return;
    for (std::uint64_t row = first; row < last; ++row) {
      for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
        if (!is_finite_value(at(row, column))) refuse_value(row + first_row, column);
      }
    }
  }

  MatrixView matrix_;
  std::vector<std::uint32_t> counts_;  // non-zeros of each row; empty if there are few columns
};

}  // namespace thresh
