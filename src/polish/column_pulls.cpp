#include "polish/column_pulls.hpp"

#include <cmath>
#include <utility>

namespace thresh {

ZeroedArray<double> slot_sizes(const std::shared_ptr<RowSource>& source, const RowView& view,
                               double unit) {
  ZeroedArray<double> sizes;
  double weight = 0;
  for_each_window(source, view, [&](const Window& window) {
    sizes.ensure(window.slot_end);
    for (const Row& row : window.rows) {
      weight += row.weight;
      for (std::size_t k = 0; k < row.size; ++k) {
        const double x = row.values[k] * unit;
        sizes[row.slots[k]] += row.weight * x * x;
      }
    }
  });
  for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
    const double squares = std::as_const(sizes)[slot];
    if (squares != 0) sizes[slot] = std::sqrt(squares / weight);
  }
  return sizes;
}

ZeroedArray<double> slot_pulls(const std::shared_ptr<RowSource>& source, const RowView& view,
                               std::span<const double> by_row, double unit) {
  ZeroedArray<double> pulls;
  std::size_t i = 0;
  for_each_window(source, view, [&](const Window& window) {
    pulls.ensure(window.slot_end);
    for (const Row& row : window.rows) {
      const double factor = by_row[i++] * unit;
      for (std::size_t k = 0; k < row.size; ++k) pulls[row.slots[k]] += factor * row.values[k];
    }
  });
  return pulls;
}

}  // namespace thresh
