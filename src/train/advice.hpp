// Messages about diverged runs: where it happened, and advice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/cache/source.hpp"
#include "data/feed/window.hpp"
#include "train/setup.hpp"

namespace thresh {

// The option for smaller steps of a solver; "" if it has none.
std::string smaller_steps(const LoopInfo& info);

// Advice in brackets: options of this solver that may help and are not in use. `slot` is the
// feature that caused the divergence, if known.
std::string advice(const RunContext& run, std::optional<std::uint32_t> slot);

// Warns if, among the features of most of the first rows, some are so much smaller than others that
// a penalty on weights excludes them, or that the steps of `budget` are too small for them. The
// steps of other solvers would have diverged.
void warn_of_scales(RunContext& run);

// The line of a row in the text from which the cache was made; none if no row has this id.
std::optional<std::uint64_t> line_of(const CachedSource& cache, std::uint64_t id);

// The line of a row in this window, if known.
std::optional<std::uint64_t> line_of(const Window& window, const RowSource& source,
                                     std::uint64_t id);

}  // namespace thresh
