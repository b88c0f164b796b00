// All rows in memory, by row and by column, for batch and coordinate solvers.
//
// Columns are the features that occur in the rows, ordered by their indices in the file, not by
// slot. A stored value takes 12 bytes by column, and 12 more by row if a solver wants rows as well.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/feed/feeder.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

// The stored values of one row or column.
struct SparseVector {
  const std::uint32_t* at;  // columns of a row, rows of a column; ascending
  const double* values;
  std::size_t size;
};

class Matrix {
 public:
  enum class Layout { columns, rows_and_columns };

  // Loads every wanted row of the source. `features` gives the order of slots as columns. The slots
  // in `also` become columns even if no row has them. For columns alone the source is read twice,
  // first to count, so that nothing else is held meanwhile.
  Matrix(const std::shared_ptr<RowSource>& source, const RowView& view, const FeatureMap& features,
         const std::vector<std::uint32_t>& also = {}, Layout layout = Layout::rows_and_columns);

  std::size_t rows() const { return labels_.size(); }
  std::size_t columns() const { return all_->slots.size(); }
  std::size_t entries() const { return all_->by_column.values.size(); }

  SparseVector row(std::size_t i) const { return all_->by_row.vector(i); }
  SparseVector column(std::size_t j) const { return all_->by_column.vector(j); }
  double weight(std::size_t i) const { return all_->weights[i]; }
  double total_weight() const { return all_->total_weight; }
  std::uint32_t slot(std::size_t j) const { return all_->slots[j]; }
  std::size_t slot_end() const { return all_->slot_end; }

  double label(std::size_t i) const { return labels_[i]; }
  std::span<const double> labels() const { return labels_; }
  // The same rows with other labels. Everything else is shared.
  std::shared_ptr<const Matrix> with_labels(std::vector<double> labels) const;

 private:
  struct Compressed {
    std::vector<std::size_t> starts{0};
    std::vector<std::uint32_t> at;
    std::vector<double> values;
    SparseVector vector(std::size_t i) const {
      return {at.data() + starts[i], values.data() + starts[i], starts[i + 1] - starts[i]};
    }
  };
  // How often slots occur. Slots may begin at 2^27, so only those that occur cost memory.
  struct ColumnCounts {
    ZeroedArray<std::uint32_t> by_slot;
    std::vector<std::uint32_t> slots;  // in order of appearance
    void add(std::uint32_t slot) {
      if (by_slot[slot]++ == 0) slots.push_back(slot);
    }
  };
  struct Shared {
    Compressed by_row, by_column;
    std::vector<double> weights;
    double total_weight = 0;
    std::vector<std::uint32_t> slots;  // of the columns
    std::size_t slot_end = 0;

    // Orders slots as columns by the features' indices. Returns the column of each slot.
    ZeroedArray<std::uint32_t> number_columns(const ColumnCounts& counts,
                                              const FeatureMap& features,
                                              const std::vector<std::uint32_t>& also);
  };

  Matrix(std::shared_ptr<const Shared> all, std::vector<double> labels)
      : all_(std::move(all)), labels_(std::move(labels)) {}

  std::shared_ptr<const Shared> all_;
  std::vector<double> labels_;
};

}  // namespace thresh
