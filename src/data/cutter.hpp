// Cuts a stream of text lines into blocks, the same way whatever the stream is.
//
// Where blocks end decides the shuffled order, so every reader of text goes through here: a block
// closes at kBlockRows rows, at kBlockEntries colons before a comment, or at kBlockBytes of text,
// whichever comes first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/bytes.hpp"
#include "data/libsvm.hpp"

namespace thresh {

inline constexpr std::uint64_t kBlockRows = 1024;
inline constexpr std::uint64_t kBlockEntries = std::uint64_t{1} << 17;
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 25;
inline constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 30;

class BlockCutter {
 public:
  // Told of every row's text up to its comment or line end.
  using RowVisitor = std::function<void(const char* begin, const char* end)>;

  BlockCutter(std::unique_ptr<ByteStream> bytes, std::string name, RowVisitor visit = nullptr)
      : bytes_(std::move(bytes)), name_(std::move(name)), visit_(std::move(visit)) {}

  // The next block, or false at the end. Its text lives until the next call.
  bool next(TextBlock& block);
  // Where in the stream the block of the last next() began.
  std::uint64_t offset() const { return offset_; }
  // How many rows have been cut so far.
  std::uint64_t rows() const { return row_; }

 private:
  const char* line_end();
  bool refill();
  void take_line(const char* begin, const char* end, TextBlock& block, std::uint64_t& rows);

  std::unique_ptr<ByteStream> bytes_;
  std::string name_;
  RowVisitor visit_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
  std::size_t begin_ = 0;  // of the block being cut
  std::size_t scan_ = 0;   // of the line being cut
  std::size_t end_ = 0;    // of what has been read
  bool exhausted_ = false;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t row_ = 0;
};

}  // namespace thresh
