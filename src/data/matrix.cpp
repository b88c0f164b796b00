#include "data/matrix.hpp"

#include <algorithm>
#include <limits>

#include "data/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {

Matrix::Matrix(const std::shared_ptr<RowSource>& source, const RowView& view,
               const FeatureMap& features) {
  for_each_window(source, view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      row_at_.insert(row_at_.end(), row.slots, row.slots + row.size);
      row_values_.insert(row_values_.end(), row.values, row.values + row.size);
      row_starts_.push_back(row_at_.size());
      labels_.push_back(row.label);
      weights_.push_back(row.weight);
      total_weight_ += row.weight;
    }
    slot_end_ = std::max<std::size_t>(slot_end_, window.slot_end);
  });
  if (rows() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(source->name() + ": more than four billion rows do not fit into memory");
  }
  number_columns(features);
  transpose();
}

// Slots become columns in the order of the features' indices.
void Matrix::number_columns(const FeatureMap& features) {
  std::vector<char> used(slot_end_);
  for (const std::uint32_t slot : row_at_) used[slot] = 1;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id;
  for (std::size_t slot = 0; slot < slot_end_; ++slot) {
    const auto narrow = static_cast<std::uint32_t>(slot);
    if (used[slot] != 0) by_id.emplace_back(features.id(narrow), narrow);
  }
  std::sort(by_id.begin(), by_id.end());
  std::vector<std::uint32_t> column_of(slot_end_);
  for (const auto& [id, slot] : by_id) {
    column_of[slot] = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(slot);
  }
  for (std::uint32_t& at : row_at_) at = column_of[at];
}

void Matrix::transpose() {
  column_starts_.assign(columns() + 1, 0);
  for (const std::uint32_t column : row_at_) ++column_starts_[column + 1];
  for (std::size_t j = 0; j < columns(); ++j) column_starts_[j + 1] += column_starts_[j];
  column_at_.resize(entries());
  column_values_.resize(entries());
  std::vector<std::size_t> next(column_starts_.begin(), column_starts_.end() - 1);
  for (std::size_t i = 0; i < rows(); ++i) {
    for (std::size_t k = row_starts_[i]; k < row_starts_[i + 1]; ++k) {
      const std::size_t to = next[row_at_[k]]++;
      column_at_[to] = static_cast<std::uint32_t>(i);
      column_values_[to] = row_values_[k];
    }
  }
}

}  // namespace thresh
