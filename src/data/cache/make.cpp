// make_cache(), and what it shares with the cache that is kept beside large data.

#include <fmt/format.h>

#include "data/cache/words.hpp"
#include "data/read/bytes.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"

namespace thresh {

std::string cache_rows(const std::string& data, const std::string& cache_path, ReadOptions read,
                       const std::string& asked, const std::function<CacheOrigin()>& origin,
                       std::uint64_t slices) {
  const bool has_names = read.format != Format::libsvm;
  read.normalize_l2 = false;
  read.cache = ReadOptions::Cache::none;
  read.vocabulary = make_vocabulary(read.hash_bits);
  read.once = has_names || !is_plain_file(data);
  std::function<void(std::uint64_t)> on_read;
  // Data with names are parsed before they are packed, unless a cache has them.
  if (!has_names || is_cache_file(data)) on_read.swap(read.on_read);
  const auto features = make_feature_map();
  const auto rows = open_rows(data, read, features);
  const CacheWords words = words_of(read.vocabulary.get(), read.format, asked);
  const auto on_block = [&](std::uint64_t bytes) {
    check_stop(read.stop, data);
    if (on_read) on_read(bytes);
  };
  write_cache(cache_path, *rows, *features, on_block, origin, words, slices);
  return read.vocabulary->note;
}

CacheMade make_cache(const std::string& data, const std::string& cache_path,
                     const ReadOptions& options, std::uint64_t slices) {
  if (slices > kMostSlices) {
    throw UsageError(fmt::format("--slices must be at least 1 and at most {}", kMostSlices));
  }
  if (!options.table.texts.empty()) throw UsageError("--text: a cache holds no text columns");
  ReadOptions read = options;
  read.format = format_of(data, options.format);
  CacheOrigin origin;
  origin.reading = reading_key(read, read.format);
  std::string asked = asked_of(read, read.format);
  if (is_cache_file(data)) {  // it says what was asked of the data before it
    const auto file = std::make_shared<const CacheFile>(data);
    origin.reading = file->origin().reading;
    asked = CachedWords(file).asked();
  }
  const std::string note = cache_rows(
      data, cache_path, read, asked, [&] { return origin; }, slices);
  return {CacheFile(cache_path).survey(), note};
}

std::uint64_t slices_of_cache(const std::string& path) {
  return is_cache_file(path) ? CacheFile(path).slices() : 0;
}

}  // namespace thresh
