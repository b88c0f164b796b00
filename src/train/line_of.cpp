#include "train/line_of.hpp"

#include <algorithm>

namespace thresh {

std::optional<std::uint64_t> line_of(const CachedSource& cache, std::uint64_t id) {
  std::size_t low = 0;
  std::size_t high = cache.survey()->blocks;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::size_t at = middle;  // a block whose rows were all bad does not know where it stands
    while (at < high && cache.packed(at).rows() == 0) ++at;
    if (at == high) {
      high = middle;
      continue;
    }
    const PackedBlock block = cache.packed(at);
    if (id < block.id(0)) {
      high = middle;
    } else if (id > block.id(block.rows() - 1)) {
      low = at + 1;
    } else {
      std::size_t row = 0;
      while (block.id(row) < id) ++row;  // the last one is not
      return block.id(row) == id ? std::optional(block.line(row)) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> line_of(const Window& window, const RowSource& source,
                                     std::uint64_t id) {
  if (const CachedSource* cache = source.packed_rows()) return line_of(*cache, id);
  for (const BlockPtr& block : window.blocks) {
    const auto found = std::find(block->ids.begin(), block->ids.end(), id);
    if (found == block->ids.end() || block->lines.empty()) continue;
    return block->lines[static_cast<std::size_t>(found - block->ids.begin())];
  }
  return std::nullopt;
}

}  // namespace thresh
