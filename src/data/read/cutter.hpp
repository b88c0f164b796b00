// Cuts a stream of text lines into blocks, the same way whatever the stream is.
//
// Where blocks end decides the shuffled order, so every reader of text goes by the BlockRule.
#pragma once

#include <string>
#include <vector>

#include "data/read/bytes.hpp"
#include "data/read/libsvm.hpp"

namespace thresh {

inline constexpr std::uint64_t kBlockRows = 1024;
inline constexpr std::uint64_t kBlockEntries = std::uint64_t{1} << 17;
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 25;
inline constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 30;

// A block closes at kBlockRows rows, at kBlockEntries colons before a comment, or at kBlockBytes of
// text, whichever comes first.
struct BlockRule {
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;

  bool full() const {
    return rows >= kBlockRows || entries >= kBlockEntries || bytes >= kBlockBytes;
  }
  void add(std::uint64_t line_bytes, std::uint64_t line_entries, bool is_row) {
    bytes += line_bytes;
    entries += line_entries;
    rows += is_row ? 1 : 0;
  }
};

// What kind of lines a text has: libsvm; plain ones, each a row; or records of cells, in which a
// quoted cell may hold line feeds.
struct LineRule {
  enum class Kind { libsvm, plain, quoted } kind = Kind::libsvm;
  char delimiter = ',';  // of cells
  bool header = false;   // the first line that is not blank is no row
};

// Whether a line, without its line feed, is no row. Not for libsvm, see is_blank_line().
bool is_blank(const char* begin, const char* end, LineRule rule);

// What a line is without being parsed.
struct LineShape {
  bool is_row = false;        // not blank, not only a comment
  std::uint64_t entries = 0;  // colons before a comment: at least as many as INDEX:VALUE pairs; in
                              // other formats a measure of the line's length
  const char* end = nullptr;  // of the row, where a comment may begin
};
LineShape line_shape(const char* begin, const char* end);

// Follows the quotes of a record (RFC 4180): only a quote at the beginning of a cell opens.
class Quotes {
 public:
  explicit Quotes(char delimiter) : delimiter_(delimiter) {}
  void scan(const char* begin, const char* end);
  // Whether the next line feed is part of a cell.
  bool open() const { return state_ == State::quoted; }

 private:
  char delimiter_;
  enum class State { cell_begins, plain, quoted, closed } state_ = State::cell_begins;
};

class BlockCutter {
 public:
  BlockCutter(std::unique_ptr<ByteStream> bytes, std::string name, LineRule rule = {})
      : bytes_(std::move(bytes)), name_(std::move(name)), rule_(rule) {}

  // The next block, or false at the end. Its text lives until the next call.
  bool next(TextBlock& block);
  // Hands the memory of that text over, to live as long as it is wanted, in exchange for some to go
  // on in.
  void swap_memory(std::vector<char>& memory);
  // Where in the stream the block of the last next() began, until its memory is handed over.
  std::uint64_t offset() const { return offset_; }
  // How many rows have been cut so far.
  std::uint64_t rows() const { return row_; }

 private:
  const char* line_end(std::size_t skip = 0);
  const char* record_end(std::uint64_t& lines);
  LineShape shape(const char* begin, const char* end);
  bool refill();

  std::unique_ptr<ByteStream> bytes_;
  std::string name_;
  LineRule rule_;
  static constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
  std::vector<char> buffer_ = std::vector<char>(kFirstBytes);
  std::size_t begin_ = 0;  // of the block being cut
  std::size_t scan_ = 0;   // of the line being cut
  std::size_t end_ = 0;    // of what has been read
  bool exhausted_ = false;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t row_ = 0;
  bool header_cut_ = false;
};

}  // namespace thresh
