// Where a row stands in its file, for messages about it.
#pragma once

#include <cstdint>
#include <optional>

#include "data/cache/source.hpp"
#include "data/feed/window.hpp"

namespace thresh {

// In the text that a cache was made from; none for a number that no row has.
std::optional<std::uint64_t> line_of(const CachedSource& cache, std::uint64_t id);

// Of a row in this window of the source, if that is known.
std::optional<std::uint64_t> line_of(const Window& window, const RowSource& source,
                                     std::uint64_t id);

}  // namespace thresh
