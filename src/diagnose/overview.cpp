#include "diagnose/overview.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/read/row_scale.hpp"

namespace thresh {
namespace {

std::uint64_t hash_of(const Row& row) {
  return XXH3_64bits_withSeed(row.values, row.size * sizeof *row.values,
                              XXH3_64bits(row.slots, row.size * sizeof *row.slots));
}

// Sums of these hashes over a column's entries, in any order, distinguish columns.
std::uint64_t hash_of(std::uint64_t row, double value) {
  const std::uint64_t entry[] = {row, std::bit_cast<std::uint64_t>(value)};
  return XXH3_64bits(entry, sizeof entry);
}

void add_entry(ColumnStats& column, std::uint64_t row, double value) {
  if (column.count == 0) column.first = value;
  if (value != column.first) column.varies = true;
  if (std::fabs(value) > column.largest) {
    column.largest = std::fabs(value);
    column.row = row;
  }
  column.hash += hash_of(row, value);
  if (column.count < std::numeric_limits<std::uint32_t>::max()) ++column.count;
}

void add_row(Overview& all, const Row& row, std::uint64_t hash) {
  ++all.rows;
  all.entries += row.size;
  all.most_entries = std::max<std::uint64_t>(all.most_entries, row.size);
  for (std::size_t k = 0; k < row.size; ++k) {
    add_entry(all.columns[row.slots[k]], row.id, row.values[k]);
  }
  if (row.size == 0) {
    ++all.empty_rows;
    return;
  }
  all.twins.add(hash, row.label);
  all.row_sizes.add(std::log2(static_cast<double>(row.size)));
  const Scale scale = scale_of(row.values, row.size);
  const double length = std::log2(scale.length) - std::log2(scale.power);
  all.row_lengths.add(length);
  if (length > all.longest) {
    all.longest = length;
    all.longest_row = row.id;
  }
}

}  // namespace

Overview overview_of(RowSource& source, const Watch& watch) {
  Overview all;
  const auto hash_rows = [](const RowBlock& block) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < block.rows(); ++i) hashes.push_back(hash_of(block.row(i)));
    return hashes;
  };
  each_block(source, watch, hash_rows, [&](const RowBlock& block, const auto& hashes) {
    all.columns.ensure(block.slot_end);
    for (std::size_t i = 0; i < block.rows(); ++i) add_row(all, block.row(i), hashes[i]);
  });
  for (std::uint32_t slot = 0; slot < all.columns.size(); ++slot) {
    if (all.columns[slot].count == 0) continue;
    all.slots.push_back(slot);
    all.largest = std::max(all.largest, all.columns[slot].largest);
  }
  return all;
}

std::uint64_t Overview::duplicate_columns() const {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(slots.size());
  for (const std::uint32_t slot : slots) hashes.push_back(columns[slot].hash);
  std::sort(hashes.begin(), hashes.end());
  const auto end = std::unique(hashes.begin(), hashes.end());
  return slots.size() - static_cast<std::uint64_t>(end - hashes.begin());
}

std::uint64_t Overview::constant_columns() const {
  return static_cast<std::uint64_t>(std::count_if(slots.begin(), slots.end(), [&](auto slot) {
    return columns[slot].count == rows && !columns[slot].varies;
  }));
}

}  // namespace thresh
