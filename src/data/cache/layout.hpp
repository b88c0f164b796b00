// The fixed parts of a cache file as stored; file.hpp describes the whole.
#pragma once

#include <cstdint>
#include <span>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/cache/block.hpp"
#include "data/cache/file.hpp"
#include "data/read/number.hpp"

namespace thresh {

inline constexpr std::uint64_t kCacheVersion = 3;  // with slices
inline constexpr std::uint64_t kCacheVersionWhole = 2;

struct CacheHead {
  char magic[8];
  std::uint64_t version;
};

struct CacheFacts {
  CacheOrigin origin;
  std::uint64_t rows, blocks, bytes, dimension, bad_rows, labels, more_labels;
  // Since version 2:
  double mean_weight;  // 0: rows have no weights
  std::uint64_t names, names_bytes, names_checksum, words_bytes;
  // In version 3 only:
  std::uint64_t slices, part_spans;  // part_spans: offset
};
// The size of the facts in versions 1 and 2.
inline constexpr std::size_t kFirstCacheFacts = sizeof(CacheFacts) - 7 * 8;
inline constexpr std::size_t kSecondCacheFacts = sizeof(CacheFacts) - 2 * 8;

struct CacheEnd {
  std::uint64_t tail;  // offset
  std::uint64_t checksum;
  char magic[8];
};
static_assert(sizeof(CacheEnd) + kFirstCacheFacts >= kPackPadding,
              "what unpacks may read beyond a block");
static_assert(sizeof(CacheEnd) + kSecondCacheFacts >= kTextPadding,
              "so may what reads numbers in names");

inline std::uint64_t checksum_of(std::span<const unsigned char> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace thresh
