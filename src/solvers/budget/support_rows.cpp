#include "solvers/budget/support_rows.hpp"

#include "sparse/wide.hpp"

namespace thresh {
namespace {

// Finding places counts bits: use the processor's instruction where there is one.
THRESH_CLONES("popcnt")
std::size_t find_places(const Support& support, const Row& row, double unit, Met* found) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint32_t place = support.place(row.slots[i]);
    if (place != Support::kNone) found[size++] = {place, row.values[i] * unit};
  }
  return size;
}

}  // namespace

std::span<const Met> SupportRows::meet(const Row& row) {
  if (!remembers_) return find(row);
  const auto known = memory_.find(row.id);
  if (known != memory_.end()) return known->second;
  const std::span<const Met> found = find(row);
  if (remembered_ + found.size() <= kMostRemembered) {
    remembered_ += found.size();
    memory_.emplace(row.id, std::vector<Met>(found.begin(), found.end()));
  }
  return found;
}

std::span<const Met> SupportRows::find(const Row& row) {
  if (found_.size() < row.size) found_.resize(row.size);
  const std::span<Met> found(found_.data(), find_places(support_, row, unit_, found_.data()));
  const auto by_place = [](const Met& a, const Met& b) { return a.place < b.place; };
  // Usually sorted: rows have ascending features, and so have most supports.
  if (!std::is_sorted(found.begin(), found.end(), by_place)) {
    std::sort(found.begin(), found.end(), by_place);
  }
  return found;
}

}  // namespace thresh
