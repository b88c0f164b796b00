#include "data/feed/matrix.hpp"

#include <algorithm>
#include <limits>

#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {

Matrix::Matrix(const std::shared_ptr<RowSource>& source, const RowView& view,
               const FeatureMap& features, const std::vector<std::uint32_t>& also, Layout layout) {
  auto all = std::make_shared<Shared>();
  const bool with_rows = layout == Layout::rows_and_columns;
  Compressed& rows = all->by_row;
  ColumnCounts counts;
  for_each_window(source, view, [&](const Window& window) {
    all->slot_end = std::max<std::size_t>(all->slot_end, window.slot_end);
    counts.by_slot.ensure(all->slot_end);
    for (const Row& row : window.rows) {
      for (std::size_t k = 0; k < row.size; ++k) counts.add(row.slots[k]);
      labels_.push_back(row.label);
      all->weights.push_back(row.weight);
      all->total_weight += row.weight;
      if (!with_rows) continue;
      rows.at.insert(rows.at.end(), row.slots, row.slots + row.size);
      rows.values.insert(rows.values.end(), row.values, row.values + row.size);
      rows.starts.push_back(rows.at.size());
    }
  });
  if (labels_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(source->name() + ": more than four billion rows do not fit into memory");
  }
  const ZeroedArray<std::uint32_t> column_of = all->number_columns(counts, features, also);
  Compressed& columns = all->by_column;
  std::vector<std::size_t> next(columns.starts.begin(), columns.starts.end() - 1);
  const auto put = [&](std::uint32_t row, std::uint32_t column, double value) {
    const std::size_t to = next[column]++;
    columns.at[to] = row;
    columns.values[to] = value;
  };
  for (std::uint32_t i = 0; with_rows && i < labels_.size(); ++i) {
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      rows.at[k] = column_of[rows.at[k]];
      put(i, rows.at[k], rows.values[k]);
    }
  }
  std::uint32_t i = 0;
  if (!with_rows) {
    for_each_window(source, view, [&](const Window& window) {
      for (const Row& row : window.rows) {
        for (std::size_t k = 0; k < row.size; ++k) put(i, column_of[row.slots[k]], row.values[k]);
        ++i;
      }
    });
  }
  all_ = std::move(all);
}

std::shared_ptr<const Matrix> Matrix::with_labels(std::vector<double> labels) const {
  return std::shared_ptr<const Matrix>(new Matrix(all_, std::move(labels)));
}

ZeroedArray<std::uint32_t> Matrix::Shared::number_columns(const ColumnCounts& counts,
                                                          const FeatureMap& features,
                                                          const std::vector<std::uint32_t>& also) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id;
  for (const auto* some : {&counts.slots, &also}) {
    for (const std::uint32_t slot : *some) {
      by_id.emplace_back(features.id(slot), slot);
      slot_end = std::max(slot_end, std::size_t{slot} + 1);
    }
  }
  std::sort(by_id.begin(), by_id.end());
  by_id.erase(std::unique(by_id.begin(), by_id.end()), by_id.end());
  ZeroedArray<std::uint32_t> column_of;
  column_of.ensure(slot_end);
  by_column.starts.reserve(by_id.size() + 1);
  for (const auto& [id, slot] : by_id) {
    column_of[slot] = static_cast<std::uint32_t>(slots.size());
    slots.push_back(slot);
    const std::size_t count = slot < counts.by_slot.size() ? counts.by_slot[slot] : 0;
    by_column.starts.push_back(by_column.starts.back() + count);
  }
  by_column.at.resize(by_column.starts.back());
  by_column.values.resize(by_column.starts.back());
  return column_of;
}

}  // namespace thresh
