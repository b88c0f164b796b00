// All rows in memory, by row and by column: what batch and coordinate solvers work on.
//
// Columns are the features that occur in the rows, in the order of their indices in the file,
// whatever slots they have. 24 bytes a stored value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/feeder.hpp"

namespace thresh {

// The stored values of one row or column.
struct SparseVector {
  const std::uint32_t* at;  // columns of a row, rows of a column; ascending
  const double* values;
  std::size_t size;
};

class Matrix {
 public:
  // Every wanted row of the source. `features` tells a slot's place among the columns.
  Matrix(const std::shared_ptr<RowSource>& source, const RowView& view, const FeatureMap& features);

  std::size_t rows() const { return labels_.size(); }
  std::size_t columns() const { return slots_.size(); }
  std::size_t entries() const { return row_values_.size(); }

  SparseVector row(std::size_t i) const {
    return {row_at_.data() + row_starts_[i], row_values_.data() + row_starts_[i],
            row_starts_[i + 1] - row_starts_[i]};
  }
  SparseVector column(std::size_t j) const {
    return {column_at_.data() + column_starts_[j], column_values_.data() + column_starts_[j],
            column_starts_[j + 1] - column_starts_[j]};
  }
  double label(std::size_t i) const { return labels_[i]; }
  double weight(std::size_t i) const { return weights_[i]; }
  double total_weight() const { return total_weight_; }
  std::uint32_t slot(std::size_t j) const { return slots_[j]; }
  std::size_t slot_end() const { return slot_end_; }

 private:
  void number_columns(const FeatureMap& features);
  void transpose();

  std::vector<std::size_t> row_starts_{0}, column_starts_;
  std::vector<std::uint32_t> row_at_, column_at_;
  std::vector<double> row_values_, column_values_;
  std::vector<double> labels_, weights_;
  double total_weight_ = 0;
  std::vector<std::uint32_t> slots_;  // of the columns
  std::size_t slot_end_ = 0;
};

}  // namespace thresh
