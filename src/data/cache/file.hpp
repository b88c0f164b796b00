// The cache file: parsed rows, packed block by block, to be mapped into memory.
//
//     magic, version                         16 bytes
//     blocks                                 see block.hpp
//     names                                  see words.hpp; none for libsvm text
//     tail: facts, labels, index of blocks   each block's offset, length and checksum
//           words                            see words.hpp; none for libsvm text
//     end: offset of the tail, its checksum, magic
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
// must be those of the data, not relative ones.
void write_cache(const std::string& path, RowSource& source, const FeatureMap& features,
                 const std::function<void(std::uint64_t bytes)>& on_block,
                 const std::function<CacheOrigin()>& origin, const CacheWords& words = {});

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
  // Thread-safe. Throws Error for a damaged block.
  PackedBlock block(std::size_t k) const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  struct Span {
    std::uint64_t offset, bytes, checksum;
  };
  void map();
  void read_tail();
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
  Span names_{};
  mutable std::atomic<bool> names_checked_ = false;
  std::size_t block_head_ = sizeof(BlockHead);
  std::vector<Span> spans_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per block
};

}  // namespace thresh
