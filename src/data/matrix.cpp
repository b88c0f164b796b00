#include "data/matrix.hpp"

#include <algorithm>
#include <limits>

#include "data/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {

Matrix::Matrix(const std::shared_ptr<RowSource>& source, const RowView& view,
               const FeatureMap& features, const std::vector<std::uint32_t>& also) {
  auto all = std::make_shared<Shared>();
  Compressed& rows = all->by_row;
  for_each_window(source, view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      rows.at.insert(rows.at.end(), row.slots, row.slots + row.size);
      rows.values.insert(rows.values.end(), row.values, row.values + row.size);
      rows.starts.push_back(rows.at.size());
      labels_.push_back(row.label);
      all->weights.push_back(row.weight);
      all->total_weight += row.weight;
    }
    all->slot_end = std::max<std::size_t>(all->slot_end, window.slot_end);
  });
  if (labels_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(source->name() + ": more than four billion rows do not fit into memory");
  }
  for (const std::uint32_t slot : also) {
    all->slot_end = std::max<std::size_t>(all->slot_end, std::size_t{slot} + 1);
  }
  all->number_columns(features, also);
  all->transpose();
  all_ = std::move(all);
}

std::shared_ptr<const Matrix> Matrix::with_labels(std::vector<double> labels) const {
  return std::shared_ptr<const Matrix>(new Matrix(all_, std::move(labels)));
}

// Slots become columns in the order of the features' indices.
void Matrix::Shared::number_columns(const FeatureMap& features,
                                    const std::vector<std::uint32_t>& also) {
  std::vector<char> used(slot_end);
  for (const std::uint32_t slot : by_row.at) used[slot] = 1;
  for (const std::uint32_t slot : also) used[slot] = 1;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id;
  for (std::size_t slot = 0; slot < slot_end; ++slot) {
    const auto narrow = static_cast<std::uint32_t>(slot);
    if (used[slot] != 0) by_id.emplace_back(features.id(narrow), narrow);
  }
  std::sort(by_id.begin(), by_id.end());
  std::vector<std::uint32_t> column_of(slot_end);
  for (const auto& [id, slot] : by_id) {
    column_of[slot] = static_cast<std::uint32_t>(slots.size());
    slots.push_back(slot);
  }
  for (std::uint32_t& at : by_row.at) at = column_of[at];
}

void Matrix::Shared::transpose() {
  by_column.starts.assign(slots.size() + 1, 0);
  for (const std::uint32_t column : by_row.at) ++by_column.starts[column + 1];
  for (std::size_t j = 0; j < slots.size(); ++j) by_column.starts[j + 1] += by_column.starts[j];
  by_column.at.resize(by_row.at.size());
  by_column.values.resize(by_row.at.size());
  std::vector<std::size_t> next(by_column.starts.begin(), by_column.starts.end() - 1);
  for (std::size_t i = 0; i + 1 < by_row.starts.size(); ++i) {
    for (std::size_t k = by_row.starts[i]; k < by_row.starts[i + 1]; ++k) {
      const std::size_t to = next[by_row.at[k]]++;
      by_column.at[to] = static_cast<std::uint32_t>(i);
      by_column.values[to] = by_row.values[k];
    }
  }
}

}  // namespace thresh
