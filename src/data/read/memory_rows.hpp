// Rows that a caller has in memory, as a source.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "thresh/rows.hpp"

namespace thresh {

// How the caller writes rows.
struct RowNumbering {
  std::uint64_t first_index = 0;
  bool normalize_l2 = false;
};

// Throws UsageError unless the arrays are rows.
std::shared_ptr<RowSource> memory_rows(const MemoryRows& rows, const RowNumbering& numbering,
                                       const std::shared_ptr<FeatureMap>& features);

// The same for features that are counted from 0, whatever the problem says that the rows are part
// of: not for the public interface, where nobody should have to know of two ways to count.
inline std::shared_ptr<RowSource> memory_rows(std::span<const std::size_t> starts,
                                              std::span<const std::uint64_t> indices,
                                              std::span<const double> values,
                                              std::span<const double> labels,
                                              const std::shared_ptr<FeatureMap>& features) {
  return memory_rows({starts, indices, values, labels, {}}, {}, features);
}

}  // namespace thresh
