#include "data/feed/kernel_expand.hpp"

#include <fmt/format.h>

#include <cmath>

#include "data/feed/feeder.hpp"
#include "math/elementary.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {

KernelExpansion::KernelExpansion(const std::shared_ptr<RowSource>& support, double width,
                                 double smallest)
    : width_(width), smallest_(smallest) {
  for_each_window(support, RowView{}, [&](const Window& window) {
    if (window.slot_end > columns_.size()) columns_.resize(window.slot_end);
    for (const Row& row : window.rows) {
      double square = 0;
      for (std::size_t k = 0; k < row.size; ++k) {
        const auto number = static_cast<std::uint32_t>(labels_.size());
        columns_[row.slots[k]].push_back({number, row.values[k]});
        square += row.values[k] * row.values[k];
      }
      labels_.push_back(row.label);
      squares_.push_back(square);
    }
  });
  if (labels_.empty()) throw Error(support->name() + ": no rows");
}

std::string KernelExpansion::expand(std::span<const Row> rows) const {
  std::string text;
  parallel_in_order(
      rows.size(), [&](std::size_t i) { return expand_row(rows[i]); },
      [&](std::size_t, const std::string& line) { text += line; });
  return text;
}

// |x - s|^2 = |x|^2 - 2 <x,s> + |s|^2. The products with all s are summed by the columns of x.
std::string KernelExpansion::expand_row(const Row& row) const {
  std::vector<double> products(labels_.size());
  double square = 0;
  for (std::size_t k = 0; k < row.size; ++k) {
    square += row.values[k] * row.values[k];
    if (row.slots[k] >= columns_.size()) continue;
    for (const Entry& entry : columns_[row.slots[k]]) {
      products[entry.support] += row.values[k] * entry.value;
    }
  }
  std::string line = fmt::format("{}", row.label);
  for (std::size_t i = 0; i < products.size(); ++i) {
    // Rounding must not make a row more similar to another than to itself.
    const double distance = std::max(0.0, square - 2 * products[i] + squares_[i]);
    const double similarity = portable::exp(-distance / width_);
    if (similarity >= smallest_ && similarity > 0) {
      fmt::format_to(std::back_inserter(line), " {}:{:.9g}", i + 1, similarity);
    }
  }
  return line + "\n";
}

}  // namespace thresh
