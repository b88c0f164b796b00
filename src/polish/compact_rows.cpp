#include "polish/compact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace thresh {

bool CompactRows::can_hold(const SupportMatrix& rows) {
  constexpr double kLeast = 1e-30, kMost = 1e30;
  return std::all_of(rows.values.begin(), rows.values.end(), [](double value) {
    const double size = std::fabs(value);
    return size == 0 || (size >= kLeast && size <= kMost);
  });
}

CompactRows::CompactRows(const SupportMatrix& rows) : order_(rows.columns), starts_(rows.starts) {
  std::vector<std::size_t> times(rows.columns);
  for (const std::uint32_t column : rows.at) ++times[column];
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times[a] > times[b]; });
  std::vector<std::uint32_t> places(rows.columns);
  for (std::uint32_t place = 0; place < order_.size(); ++place) places[order_[place]] = place;
  const bool near = rows.columns <= std::size_t{1} + std::numeric_limits<std::uint16_t>::max();
  if (near) {
    near_.reserve(rows.entries());
    for (const std::uint32_t column : rows.at) {
      near_.push_back(static_cast<std::uint16_t>(places[column]));
    }
  } else {
    far_.reserve(rows.entries());
    for (const std::uint32_t column : rows.at) far_.push_back(places[column]);
  }
  values_.reserve(rows.entries());
  for (const double value : rows.values) values_.push_back(static_cast<float>(value));
}

std::vector<double> CompactRows::arranged(std::span<const double> by_column) const {
  std::vector<double> by_place(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) by_place[i] = by_column[order_[i]];
  return by_place;
}

std::vector<double> CompactRows::restored(std::span<const double> by_place) const {
  std::vector<double> by_column(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) by_column[order_[i]] = by_place[i];
  return by_column;
}

}  // namespace thresh
