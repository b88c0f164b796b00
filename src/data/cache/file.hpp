// The cache file: parsed rows, packed block by block, to be mapped into memory.
//
//     magic, version                         16 bytes
//     blocks                                 see block.hpp
//     names                                  see words.hpp; none for libsvm text
//     tail: facts, labels, index of blocks   each block's offset, length and checksum
//           words                            see words.hpp; none for libsvm text
//     end: offset of the tail, its checksum, magic
//
// In a file with slices (version 3), a block has the rows without entries, and its parts follow it,
// see parts.hpp. After the names there is an index of each part's blocks, and the tail has the
// checksums of these indexes after its own. So the tail's checksum stands for the whole file.
//
// Version 1 had no names, no words and no weights; it is still read. docs/formats.md describes the
// file for users.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/cache/block.hpp"
#include "data/read/bytes.hpp"
#include "files/fd.hpp"
#include "thresh/error.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// The text that a cache was made from, and how it was read. If these are equal, the rows are equal.
// All zero for a text without a name.
struct CacheOrigin {
  std::uint64_t bytes = 0;
  std::uint64_t modified = 0;  // nanoseconds
  std::uint64_t content = 0;   // checksum of a small file, or of samples of a large one
  std::uint64_t reading = 0;   // see reading_key()

  bool operator==(const CacheOrigin&) const = default;
};

// The reading options that change rows, as a number. Not included: --normalize, which is applied
// when rows are unpacked, and --dim, which only rejects rows.
std::uint64_t reading_key(const ReadOptions& options);

// The cache could not be written. Bad rows throw other Errors.
class CacheNotWritten : public Error {
 public:
  using Error::Error;
};

// The part of a cache of data with names besides the rows. CacheFile does not interpret it.
struct CacheWords {
  using Write = std::function<void(std::string_view bytes)>;
  std::string words;
  std::function<void(const Write& write)> names;  // a function: too many to hold twice
};

// Writes the rows of `source`, whose features are numbered by `features`, to `path`. Calls
// `on_block` with the text size of each block, and `origin` just before the file appears. Weights
// must be those of the data, not relative ones. `slices`: 0 for a file without.
void write_cache(const std::string& path, RowSource& source, const FeatureMap& features,
                 const std::function<void(std::uint64_t bytes)>& on_block,
                 const std::function<CacheOrigin()>& origin, const CacheWords& words = {},
                 std::uint64_t slices = 0);

struct CacheSpan {
  std::uint64_t offset, bytes, checksum;
};

struct CacheFacts;

class CacheFile {
 public:
  // Throws Error unless it is a complete cache of this version. Blocks are checked at first use.
  explicit CacheFile(const std::string& path);
  ~CacheFile();
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

  const std::string& path() const { return path_; }
  const Survey& survey() const { return survey_; }
  const CacheOrigin& origin() const { return origin_; }
  // Mean of the row weights above zero; 1 if rows have no weights.
  double mean_weight() const { return mean_weight_; }
  // "" for libsvm text.
  const std::string& words() const { return words_; }
  // Throws Error if they are damaged. A number parser may read some bytes after them.
  std::string_view names() const;
  // 0: the file has none.
  std::uint64_t slices() const { return slices_; }
  // Of the tail. It stands for the whole file.
  std::uint64_t checksum() const { return checksum_; }
  // Thread-safe. Throws Error for a damaged block. With slices, rows have no entries.
  PackedBlock block(std::size_t k) const;
  // The same, read into `memory` instead of mapped: around what is mapped, the kernel maps more, so
  // a process that visits small blocks far apart would seem to use all between them.
  PackedBlock block(std::size_t k, Bytes& memory) const;
  // Where the blocks of a part are. Throws Error if that is damaged.
  std::vector<CacheSpan> spans_of_part(std::uint64_t part) const;
  // Whether there are so many bytes before the tail.
  bool has(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= blocks_.size() && bytes <= blocks_.size() - offset;
  }
  // Reads bytes that the file has, without mapping them: what is read once need not stay in memory.
  void read(std::uint64_t offset, std::span<unsigned char> out) const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  const CacheSpan& span_of(std::size_t k) const;
  PackedBlock open(std::size_t k, std::span<const unsigned char> bytes) const;
  [[noreturn]] void refuse_block(std::size_t k, std::string_view why) const;
  void map();
  void read_tail();
  void take_facts(const CacheFacts& facts, std::span<const unsigned char> rest, bool has_slices);
  void check_against_survey(const PackedBlock& block) const;

  std::string path_;
  Fd fd_;
  FileStamp stamp_;  // of the file as it was opened
  std::span<const unsigned char> bytes_;
  std::span<const unsigned char> blocks_;  // the part of it that they fill
  Survey survey_;
  CacheOrigin origin_;
  double mean_weight_ = 1;
  std::string words_;
  CacheSpan names_{};
  std::uint64_t checksum_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t part_spans_ = 0;
  std::vector<std::uint64_t> part_checksums_;
  mutable std::atomic<bool> names_checked_ = false;
  std::size_t block_head_ = sizeof(BlockHead);
  std::vector<CacheSpan> spans_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per block
};

}  // namespace thresh
