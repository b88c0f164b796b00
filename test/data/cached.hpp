// Makes caches for tests.
#pragma once

#include <memory>
#include <string>

#include "data/cache/file.hpp"
#include "data/cache/source.hpp"
#include "data/read/sources.hpp"

namespace thresh {

// Writes the rows of a text file into a cache.
inline void cache_text(const std::string& text, const std::string& cache,
                       const ReadOptions& options = {}, std::uint64_t slices = 0) {
  const auto features = std::make_shared<FeatureMap>();
  TextSource source(text, options, features);
  CacheOrigin origin;
  origin.reading = reading_key(options);
  write_cache(
      cache, source, *features, {}, [&] { return origin; }, {}, slices);
}

}  // namespace thresh
