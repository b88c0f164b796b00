// The entries of a cache with slices (see sparse/slices.hpp). Each block is followed by its parts:
// blocks of the same rows with the entries of a few consecutive slices, and nothing else of them.
// A rank reads only those parts of a block that have entries of its own; they lie together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/cache/block.hpp"
#include "data/cache/file.hpp"

namespace thresh {

// More would cost more for lengths than for entries.
inline constexpr std::uint64_t kMostParts = 64;

inline std::uint64_t parts_of(std::uint64_t slices) {
  return std::min(slices, kMostParts);
}
// The part that has the entries of this slice.
inline std::uint64_t part_of(std::uint64_t slice, std::uint64_t slices) {
  return slices <= kMostParts ? slice : slice * kMostParts / slices;
}

// The rows without entries, and their parts.
struct SlicedBlock {
  RowBlock rows;
  std::vector<RowBlock> parts;
};
SlicedBlock divide(const RowBlock& block, const FeatureMap& features, std::uint64_t slices);

// Some parts of a block, in memory.
class BlockParts {
 public:
  // The most entries that the rows have here.
  std::size_t entries() const { return entries_; }
  // As PackedBlock::unpack().
  std::size_t unpack(std::size_t row, FeatureMap& features, bool normalize, std::uint32_t* slots,
                     double* values) const;

 private:
  friend class CacheParts;
  std::size_t entries_ = 0;
  Bytes bytes_;
  std::vector<PackedBlock> parts_;
};

// The parts first .. end-1 of all blocks of a cache.
class CacheParts {
 public:
  // Throws Error if their index is damaged.
  CacheParts(std::shared_ptr<const CacheFile> file, std::uint64_t first, std::uint64_t end);
  // Those of block k, which has these rows. Thread-safe. Throws Error for damaged ones.
  BlockParts of(std::size_t k, const PackedBlock& rows) const;

 private:
  const CacheSpan& span(std::uint64_t part, std::size_t block) const {
    return spans_[(part - first_) * blocks_ + block];
  }
  PackedBlock open(std::uint64_t part, std::span<const unsigned char> bytes, const CacheSpan& span,
                   const PackedBlock& rows, bool is_new) const;
  void check(std::uint64_t part, const PackedBlock& block, const PackedBlock& rows) const;

  std::shared_ptr<const CacheFile> file_;
  std::uint64_t first_, end_;
  std::size_t blocks_;
  std::vector<CacheSpan> spans_;                  // part by part
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per block
};

}  // namespace thresh
