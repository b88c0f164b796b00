// Cuts a stream of text lines into blocks, in the same way for every stream.
//
// The ends of blocks determine the shuffled order, so every reader of text uses BlockRule. Only
// rows to be predicted may end a block earlier: see Pace.
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

// The kind of lines in a text: libsvm; plain, each line a row; or records of cells, where a quoted
// cell may contain line feeds.
struct LineRule {
  enum class Kind { libsvm, plain, quoted } kind = Kind::libsvm;
  char delimiter = ',';  // of cells
  bool header = false;   // the first line that is not blank is not a row
};

// Whether a line, without its line feed, is not a row. For libsvm see is_blank_line().
bool is_blank(const char* begin, const char* end, LineRule rule);

// What is known about a line without parsing it.
struct LineShape {
  bool is_row = false;        // not blank, not only a comment
  std::uint64_t entries = 0;  // colons before a comment, at least one per INDEX:VALUE pair; in
                              // other formats a measure of the line's length
  const char* end = nullptr;  // of the row; a comment may begin here
};
LineShape line_shape(const char* begin, const char* end);

// Follows the quotes of a record (RFC 4180). Only a quote at the start of a cell opens.
class Quotes {
 public:
  explicit Quotes(char delimiter) : delimiter_(delimiter) {}
  void scan(const char* begin, const char* end);
  // Whether the next line feed belongs to a cell.
  bool open() const { return state_ == State::quoted; }

 private:
  char delimiter_;
  enum class State { cell_begins, plain, quoted, closed } state_ = State::cell_begins;
};

// When a block ends: when it is full, or also before the stream would wait for more input, so that
// whoever writes the rows gets the answers to those written so far.
enum class Pace { full_blocks, as_they_come };
inline Pace pace_of(const ReadOptions& options) {
  return options.once && options.labels_optional ? Pace::as_they_come : Pace::full_blocks;
}

class BlockCutter {
 public:
  BlockCutter(std::unique_ptr<ByteStream> bytes, std::string name, LineRule rule = {},
              Pace pace = Pace::full_blocks)
      : bytes_(std::move(bytes)), name_(std::move(name)), rule_(rule), pace_(pace) {}

  // Gives the next block, or false at the end. Its text is valid until the next call.
  bool next(TextBlock& block);
  // Hands over the memory of that text, to be held as long as needed, in exchange for other memory.
  void swap_memory(std::vector<char>& memory);
  // The offset in the stream of the last block, until its memory is handed over.
  std::uint64_t offset() const { return offset_; }
  // The number of rows cut so far.
  std::uint64_t rows() const { return row_; }

 private:
  const char* line_end(std::size_t skip = 0);
  const char* record_end(std::uint64_t& lines);
  LineShape shape(const char* begin, const char* end);
  bool refill();

  std::unique_ptr<ByteStream> bytes_;
  std::string name_;
  LineRule rule_;
  Pace pace_;
  bool has_rows_ = false;  // in the block being cut
  bool paused_ = false;    // it ends here because the stream would wait
  static constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
  std::vector<char> buffer_ = std::vector<char>(kFirstBytes);
  std::size_t begin_ = 0;  // start of the block being cut
  std::size_t scan_ = 0;   // start of the line being cut
  std::size_t end_ = 0;    // end of what has been read
  bool exhausted_ = false;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t row_ = 0;
  bool header_cut_ = false;
};

}  // namespace thresh
