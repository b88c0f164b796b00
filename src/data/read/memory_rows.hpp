// A source of rows that a caller has in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "thresh/rows.hpp"

namespace thresh {

// How the caller numbers and scales rows.
struct RowNumbering {
  std::uint64_t first_index = 0;
  bool normalize_l2 = false;
};

// Throws UsageError if the arrays are not valid rows.
std::shared_ptr<RowSource> memory_rows(const MemoryRows& rows, const RowNumbering& numbering,
                                       const std::shared_ptr<FeatureMap>& features);

// The same for 0-based features, independent of the problem's numbering. Not public, so that users
// need to know only one numbering.
inline std::shared_ptr<RowSource> memory_rows(std::span<const std::size_t> starts,
                                              std::span<const std::uint64_t> indices,
                                              std::span<const double> values,
                                              std::span<const double> labels,
                                              const std::shared_ptr<FeatureMap>& features) {
  return memory_rows({starts, indices, values, labels, {}}, {}, features);
}

}  // namespace thresh
