#include "polish/screen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thresh {

std::vector<std::uint32_t> strongest_slots(const std::shared_ptr<RowSource>& source,
                                           const RowView& view, double unit, double ridge,
                                           std::size_t count) {
  const auto for_each_row = [&](const auto& visit) {
    for_each_window(source, view, [&](const Window& window) {
      for (const Row& row : window.rows) visit(row);
    });
  };
  double weight = 0;
  double mean = 0;
  for_each_row([&](const Row& row) {
    weight += row.weight;
    mean += row.weight * row.label;
  });
  if (weight == 0) return {};
  mean /= weight;

  struct Sums {
    double products = 0, squares = 0, values = 0;
  };
  std::vector<Sums> all;  // by slot
  for_each_row([&](const Row& row) {
    for (std::size_t k = 0; k < row.size; ++k) {
      if (row.slots[k] >= all.size()) all.resize(row.slots[k] + std::size_t{1});
      Sums& sums = all[row.slots[k]];
      const double x = row.values[k] * unit;
      sums.products += row.weight * (row.label - mean) * x;
      sums.squares += row.weight * x * x;
      sums.values += row.weight * x;
    }
  });
  std::vector<std::pair<double, std::uint32_t>> gains;  // negative, so that the largest comes first
  for (std::uint32_t slot = 0; slot < all.size(); ++slot) {
    const Sums& sums = all[slot];
    if (sums.products == 0) continue;
    const double bend = std::max(0.0, sums.squares - sums.values * sums.values / weight) + ridge;
    const double gain = sums.products * sums.products / bend;
    if (std::isfinite(gain)) gains.emplace_back(-gain, slot);
  }
  std::sort(gains.begin(), gains.end());
  gains.resize(std::min(gains.size(), count));
  std::vector<std::uint32_t> slots;
  slots.reserve(gains.size());
  for (const auto& [gain, slot] : gains) slots.push_back(slot);
  return slots;
}

}  // namespace thresh
