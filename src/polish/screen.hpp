// Finds the features that would lower the loss most, one at a time, from a constant model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/feed/feeder.hpp"

namespace thresh {

// The slots of the `count` features with the largest gains of a Newton step in which the intercept
// moves too. Values are multiplied by `unit`, and the step has this ridge. Two passes over the
// rows; three doubles per slot.
std::vector<std::uint32_t> strongest_slots(const std::shared_ptr<RowSource>& source,
                                           const RowView& view, double unit, double ridge,
                                           std::size_t count);

}  // namespace thresh
