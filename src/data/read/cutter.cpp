#include "data/read/cutter.hpp"

#include <fmt/format.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "data/read/number.hpp"
#include "sparse/wide.hpp"

namespace thresh {
namespace {

std::uint64_t count_colons_plain(const char* begin, const char* end) {
  return static_cast<std::uint64_t>(std::count(begin, end, ':'));
}

#if defined(__x86_64__)
// The same, 32 bytes at a time. Counts are in bytes (up to 255), so they are added up in time.
__attribute__((target("avx2"))) std::uint64_t count_colons_avx2(const char* begin,
                                                                const char* end) {
  const __m256i colon = _mm256_set1_epi8(':');
  std::uint64_t total = 0;
  while (end - begin >= 32) {
    __m256i counts = _mm256_setzero_si256();
    for (int i = 0; i < 255 && end - begin >= 32; ++i, begin += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begin));
      counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(bytes, colon));
    }
    const __m256i sums = _mm256_sad_epu8(counts, _mm256_setzero_si256());
    alignas(32) std::uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
    total += lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  return total + count_colons_plain(begin, end);
}

#else
constexpr auto count_colons_avx2 = count_colons_plain;
#endif

std::uint64_t count_colons(const char* begin, const char* end) {
  return kHasAvx2 ? count_colons_avx2(begin, end) : count_colons_plain(begin, end);
}

}  // namespace

LineShape line_shape(const char* begin, const char* end) {
  if (is_blank_line(begin, end)) return {};
  const void* comment = std::memchr(begin, '#', static_cast<std::size_t>(end - begin));
  if (comment != nullptr) end = static_cast<const char*>(comment);
  return {true, count_colons(begin, end), end};
}

// Appends more text to the buffer. False at the end of the stream.
bool BlockCutter::refill() {
  if (exhausted_) return false;
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  const std::size_t room = std::min(buffer_.size() / 2, kPiece + 1 + kTextPadding);
  if (buffer_.size() - end_ < room) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scan_ -= begin_;
    begin_ = 0;
    // Doubles the buffer, but not beyond the longest line after an almost full block.
    constexpr std::size_t kLargest = kMaxLineBytes + kBlockBytes + (std::size_t{1} << 22);
    if (buffer_.size() - end_ < room) buffer_.resize(std::min(2 * buffer_.size(), kLargest));
  }
  // Leaves room after the text for a line feed and the padding that parsers read. Reads in pieces
  // that are still in the cache when they are scanned.
  const std::size_t free = buffer_.size() - end_ - 1 - kTextPadding;
  const std::size_t got = bytes_->read(buffer_.data() + end_, std::min(free, kPiece));
  if (got == 0) {
    exhausted_ = true;
    if (end_ == scan_) return false;
    buffer_[end_++] = '\n';  // the last line had no line feed
    return true;
  }
  end_ += got;
  return true;
}

bool is_blank(const char* begin, const char* end, LineRule rule) {
  if (rule.kind == LineRule::Kind::plain) return skip_space(begin, end) == end;
  return begin == end || *begin == '\r';
}

void Quotes::scan(const char* begin, const char* end) {
  if (state_ == State::plain || state_ == State::cell_begins) {
    if (std::memchr(begin, '"', static_cast<std::size_t>(end - begin)) == nullptr) return;
  }
  for (const char* p = begin; p < end; ++p) {
    if (*p == '"' && state_ != State::plain) {
      state_ = state_ == State::quoted ? State::closed : State::quoted;  // two quotes stand for one
    } else if (state_ != State::quoted) {
      state_ = *p == delimiter_ ? State::cell_begins : State::plain;
    }
  }
}

// The line feed that ends the line at scan_, at least `skip` bytes after its start; null at the end
// of the stream.
const char* BlockCutter::line_end(std::size_t skip) {
  std::size_t from = scan_ + skip;
  for (;;) {
    if (const void* hit = std::memchr(buffer_.data() + from, '\n', end_ - from)) {
      return static_cast<const char*>(hit);
    }
    if (end_ - scan_ > kMaxLineBytes) {
      throw Error(fmt::format("{}:{}: row is longer than 1 GB", name_, line_));
    }
    const std::size_t searched = end_ - scan_;
    paused_ = pace_ == Pace::as_they_come && has_rows_ && bytes_->would_wait();
    if (paused_ || !refill()) return nullptr;
    from = scan_ + searched;
  }
}

// The same for a record of cells. Also counts its lines.
const char* BlockCutter::record_end(std::uint64_t& lines) {
  Quotes quotes(rule_.delimiter);
  std::size_t length = 0;
  for (lines = 1;; ++lines) {
    const char* const end = line_end(length);
    if (end == nullptr && (lines == 1 || paused_)) return nullptr;
    const char* const begin = buffer_.data() + scan_;
    if (end == nullptr) return begin + length - 1;  // an open quote: the parser reports it
    quotes.scan(begin + length, end);
    if (!quotes.open()) return end;
    length = static_cast<std::size_t>(end + 1 - begin);
  }
}

LineShape BlockCutter::shape(const char* begin, const char* end) {
  if (rule_.kind == LineRule::Kind::libsvm) return line_shape(begin, end);
  const bool blank = is_blank(begin, end, rule_);
  const bool is_header = rule_.header && !header_cut_ && !blank;
  header_cut_ |= is_header;
  // Two megabytes make a block full, because short blocks keep all cores busy.
  const auto bytes = static_cast<std::uint64_t>(end - begin);
  return {!blank && !is_header, is_header ? 0 : bytes / 16, end};
}

bool BlockCutter::next(TextBlock& block) {
  offset_ += scan_ - begin_;
  begin_ = scan_;
  block = TextBlock{};
  block.first_line = line_;
  block.first_row = row_;
  BlockRule rule;
  has_rows_ = paused_ = false;
  while (!rule.full()) {
    std::uint64_t lines = 1;
    const char* const end = rule_.kind == LineRule::Kind::quoted ? record_end(lines) : line_end();
    if (end == nullptr) break;
    const char* const begin = buffer_.data() + scan_;
    const LineShape line = shape(begin, end);
    rule.add(static_cast<std::uint64_t>(end + 1 - begin), line.entries, line.is_row);
    scan_ += static_cast<std::size_t>(end + 1 - begin);
    line_ += lines;
    has_rows_ = rule.rows > 0;
  }
  row_ += rule.rows;
  block.entries = rule.entries;
  block.text = {buffer_.data() + begin_, scan_ - begin_};
  return scan_ > begin_;
}

void BlockCutter::swap_memory(std::vector<char>& memory) {
  const std::size_t behind = end_ - scan_;
  const std::size_t least = std::max(kFirstBytes, 2 * (behind + kTextPadding));
  if (memory.size() < least) memory.resize(least);
  std::memcpy(memory.data(), buffer_.data() + scan_, behind);
  buffer_.swap(memory);
  offset_ += scan_ - begin_;
  begin_ = 0;
  scan_ = 0;
  end_ = behind;
}

}  // namespace thresh
