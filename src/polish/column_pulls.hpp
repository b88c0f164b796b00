// Sums over all features, streamed.
#pragma once

#include <memory>
#include <span>

#include "data/feed/feeder.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

// By slot: the root mean square of each feature over the wanted rows, times `unit`.
ZeroedArray<double> slot_sizes(const std::shared_ptr<RowSource>& source, const RowView& view,
                               double unit);

// By slot: sum_i by_row_i x_i over the wanted rows, in file order, times `unit`.
ZeroedArray<double> slot_pulls(const std::shared_ptr<RowSource>& source, const RowView& view,
                               std::span<const double> by_row, double unit);

}  // namespace thresh
