#include "polish/merged_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sparse/random.hpp"

namespace thresh {
namespace {

std::uint64_t hash_of(const SparseVector& row, double target) {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(target);
  for (std::size_t k = 0; k < row.size; ++k) {
    hash = (hash ^ row.at[k]) * 0x9e3779b97f4a7c15;
    hash = std::rotl(hash, 29) ^ std::bit_cast<std::uint64_t>(row.values[k]);
  }
  return mix(hash);
}

bool are_equal(const SparseVector& a, const SparseVector& b) {
  return a.size == b.size && std::equal(a.at, a.at + a.size, b.at) &&
         std::equal(a.values, a.values + a.size, b.values);
}

}  // namespace

MergedRows merge_equal_rows(const SupportMatrix& rows, std::span<const double> targets) {
  constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = rows.rows();
  MergedRows merged;
  SupportMatrix& all = merged.rows;
  all.columns = rows.columns;
  merged.place.reserve(n);
  std::vector<std::uint32_t> table(std::bit_ceil(2 * n + 1), kFree);
  for (std::size_t i = 0; i < n; ++i) {
    const SparseVector row = rows.row(i);
    std::size_t at = hash_of(row, targets[i]) & (table.size() - 1);
    while (table[at] != kFree &&
           !(merged.targets[table[at]] == targets[i] && are_equal(all.row(table[at]), row))) {
      at = (at + 1) & (table.size() - 1);
    }
    if (table[at] == kFree) {
      table[at] = static_cast<std::uint32_t>(all.rows());
      all.at.insert(all.at.end(), row.at, row.at + row.size);
      all.values.insert(all.values.end(), row.values, row.values + row.size);
      all.starts.push_back(all.at.size());
      all.labels.push_back(rows.labels[i]);
      all.weights.push_back(0);
      merged.targets.push_back(targets[i]);
    }
    all.weights[table[at]] += rows.weights[i];
    merged.place.push_back(table[at]);
  }
  return merged;
}

}  // namespace thresh
