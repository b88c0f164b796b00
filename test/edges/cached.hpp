// Caches for tests.
#pragma once

#include <memory>
#include <string>

#include "data/cache_file.hpp"
#include "data/cache_source.hpp"
#include "data/sources.hpp"

namespace thresh {

// Writes the rows of a text file into a cache.
inline void cache_text(const std::string& text, const std::string& cache,
                       const ReadOptions& options = {}) {
  const auto features = std::make_shared<FeatureMap>();
  TextSource source(text, options, features);
  CacheOrigin origin;
  origin.reading = reading_key(options);
  write_cache(cache, source, *features, {}, [&] { return origin; });
}

}  // namespace thresh
