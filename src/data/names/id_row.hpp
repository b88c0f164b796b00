// A row of ids and values in any order, before it goes into a block.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct IdEntry {
  std::uint64_t id;
  double value;
};

// Names that a model does not know count only in a row's length. They sort after all ids, by their
// hash, so the length is the same to the last digit wherever the row came from.
inline constexpr std::uint64_t kUnknownIds = std::uint64_t{1} << 63;
std::uint64_t unknown_id(std::string_view name);

// Sorts a row by id, adds up entries with the same id, scales it to unit length if wanted, and
// appends it to the block's entries and dimension.
void append_row(std::vector<IdEntry>& row, bool normalize, FeatureMap& features, RowBlock& out);

}  // namespace thresh
