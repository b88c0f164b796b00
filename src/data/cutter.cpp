#include "data/cutter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace thresh {

// Reads more text behind what is there. False at the end of the stream.
bool BlockCutter::refill() {
  if (exhausted_) return false;
  const std::size_t room = std::min(buffer_.size() / 2, std::size_t{1} << 20);
  if (buffer_.size() - end_ < room) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scan_ -= begin_;
    begin_ = 0;
    // Doubled, but to no more than the longest line behind an almost full block.
    constexpr std::size_t kLargest = kMaxLineBytes + kBlockBytes + (std::size_t{1} << 22);
    if (buffer_.size() - end_ < room) buffer_.resize(std::min(2 * buffer_.size(), kLargest));
  }
  const std::size_t got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_ - 1);
  if (got == 0) {
    exhausted_ = true;
    if (end_ == scan_) return false;
    buffer_[end_++] = '\n';  // the last line had no line feed of its own
    return true;
  }
  end_ += got;
  return true;
}

// The line feed that ends the line at scan_, or null at the end of the stream.
const char* BlockCutter::line_end() {
  std::size_t from = scan_;
  for (;;) {
    if (const void* hit = std::memchr(buffer_.data() + from, '\n', end_ - from)) {
      return static_cast<const char*>(hit);
    }
    if (end_ - scan_ > kMaxLineBytes) {
      throw Error(fmt::format("{}:{}: row is longer than 1 GB", name_, line_));
    }
    const std::size_t searched = end_ - scan_;
    if (!refill()) return nullptr;
    from = scan_ + searched;
  }
}

void BlockCutter::take_line(const char* begin, const char* end, TextBlock& block,
                            std::uint64_t& rows) {
  if (is_blank_line(begin, end)) return;
  if (const void* comment = std::memchr(begin, '#', end - begin)) {
    end = static_cast<const char*>(comment);
  }
  block.entries += static_cast<std::uint64_t>(std::count(begin, end, ':'));
  ++rows;
  if (visit_) visit_(begin, end);
}

bool BlockCutter::next(TextBlock& block) {
  offset_ += scan_ - begin_;
  begin_ = scan_;
  block = TextBlock{};
  block.first_line = line_;
  block.first_row = row_;
  std::uint64_t rows = 0;
  while (rows < kBlockRows && block.entries < kBlockEntries && scan_ - begin_ < kBlockBytes) {
    const char* const end = line_end();
    if (end == nullptr) break;
    take_line(buffer_.data() + scan_, end, block, rows);
    scan_ = static_cast<std::size_t>(end - buffer_.data()) + 1;
    ++line_;
  }
  row_ += rows;
  block.text = {buffer_.data() + begin_, scan_ - begin_};
  return scan_ > begin_;
}

}  // namespace thresh
