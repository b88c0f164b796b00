// The rows of a source with some of their features only, gathered from all ranks into one process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// The rows with the features of these ids, ascending. A feature's slot is its position there. The
// rows are those of all ranks together, on rank `to`; null on the others. They lie in a temporary
// file; all facts about them are those of the source. Throws Interrupted once `stop` is true.
//
// Cost: a pass over the rows, and a message per block from each rank but `to`, of 12 bytes for each
// entry that is left.
std::shared_ptr<RowSource> narrowed_rows(const std::shared_ptr<RowSource>& source,
                                         FeatureMap& features,
                                         const std::vector<std::uint64_t>& ids, std::size_t to,
                                         const std::atomic<bool>* stop);

}  // namespace thresh
