// What a user is told about a run that got out of control: where, and what can be done about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/cache/source.hpp"
#include "data/feed/window.hpp"
#include "train/setup.hpp"

namespace thresh {

// How a user asks a solver for smaller steps; "" if there is no way.
std::string smaller_steps(const LoopInfo& info);

// What may help, in brackets: options that this solver has and that are not in use. `slot` is that
// of the feature at fault, if it is one.
std::string advice(const RunContext& run, std::optional<std::uint32_t> slot);

// Of features that most of the first rows have, whether some are so much smaller than others that a
// penalty on weights keeps them out, or that budget's steps leave them behind. Steps of others
// would have gone astray.
void warn_of_scales(RunContext& run);

// Where a row stands in the text that a cache was made from; none for a number that no row has.
std::optional<std::uint64_t> line_of(const CachedSource& cache, std::uint64_t id);

// Of a row in this window of the source, if that is known.
std::optional<std::uint64_t> line_of(const Window& window, const RowSource& source,
                                     std::uint64_t id);

}  // namespace thresh
