#include "data/read/line_scan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/read/bytes.hpp"
#include "data/read/cutter.hpp"
#include "data/read/number.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

// Reads label and largest index of a row from its two ends, at the speed of memchr. False for a bad
// label.
bool scan_row(const char* begin, const char* end, bool zero_based, Survey& survey) {
  begin = skip_space(begin, end);
  double label = 0;
  if (!parse_number(begin, end, label) || !std::isfinite(label)) return false;
  const char* const rest = skip_space(begin, end);
  if (rest == begin && rest < end) return false;
  survey.count_label(label);
  const void* colon = memrchr(rest, ':', static_cast<std::size_t>(end - rest));
  if (colon == nullptr) return true;
  const char* digits = static_cast<const char*>(colon);
  while (digits > rest && is_digit(digits[-1])) --digits;
  const bool is_feature = skip_space(digits - 1, digits) == digits;
  const std::uint64_t index = is_feature ? parse_index(digits) : 0;  // otherwise it is a qid
  if (is_feature && index <= FeatureMap::kMaxIndex) {
    survey.dimension = std::max(survey.dimension, index + (zero_based ? 1 : 0));
  }
  return true;
}

}  // namespace

std::size_t read_at(int fd, std::uint64_t offset, std::span<char> out, const std::string& name) {
  std::size_t got = 0;
  while (got < out.size()) {
    const ssize_t n =
        ::pread(fd, out.data() + got, out.size() - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(fmt::format("{}: {}", name, std::strerror(errno)));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

std::uint64_t hash_of_line(const char* begin, const char* end) {
  return XXH3_64bits(begin, static_cast<std::size_t>(end - begin));
}

// The file from `offset` on, as far as it has been read. Reused for each stretch.
struct LineScanner::Text {
  std::vector<char> bytes;
  std::uint64_t offset = 0;
  std::size_t size = 0;

  // The position of the line feed after `from`, reading more if needed. The end of the file counts
  // as one. None if the line is too long.
  std::optional<std::size_t> line_end(const LineScanner& file, std::size_t from) {
    for (std::size_t searched = from;;) {
      if (const void* hit = std::memchr(bytes.data() + searched, '\n', size - searched)) {
        return static_cast<std::size_t>(static_cast<const char*>(hit) - bytes.data());
      }
      searched = size;
      if (offset + size == file.file_bytes_) return size;
      if (size - from > kMaxLineBytes) return std::nullopt;
      // Lines are mostly short, and the next stretch reads these bytes again.
      read_on(file, std::max<std::uint64_t>(size - from, 4096));
    }
  }

  void read_on(const LineScanner& file, std::uint64_t wanted) {
    const std::uint64_t n = std::min(wanted, file.file_bytes_ - offset - size);
    if (bytes.size() < size + n + kTextPadding) bytes.resize(size + n + kTextPadding);
    const std::span<char> room(bytes.data() + size, n);
    if (read_at(file.fd_, offset + size, room, file.name_) != n) throw_changed(file.name_);
    size += n;
  }
};

ScannedStretch LineScanner::scan(std::size_t stretch) const {
  static PerThread<Text> reused;
  Text& text = reused.here();
  const std::uint64_t begin = stretch * kStretch;
  text.offset = begin;
  text.size = 0;
  const std::uint64_t end = begin + stretch_bytes(stretch);
  text.read_on(*this, end - begin);
  ScannedStretch out;
  std::size_t at = begin == 0 ? first_ : 0;
  if (begin > 0) {
    const void* feed = std::memchr(text.bytes.data(), '\n', text.size);
    if (feed == nullptr) return out;  // all of it is inside a line that began earlier
    at = static_cast<std::size_t>(static_cast<const char*>(feed) - text.bytes.data()) + 1;
  }
  while (text.offset + at <= end && text.offset + at < file_bytes_) {
    const std::optional<std::size_t> feed = text.line_end(*this, at);
    out.too_long = !feed || *feed - at > kMaxLineBytes;
    if (out.too_long) return out;
    text.bytes[*feed] = '\n';  // missing only at the end of the file
    const char* const line = text.bytes.data() + at;
    const LineShape shape = line_shape(line, line + (*feed - at));
    const bool bad = shape.is_row && !scan_row(line, shape.end, zero_based_, out.labels);
    out.lines.push_back({*feed + 1 - at, shape.entries, hash_of_line(line, line + (*feed - at)),
                         shape.is_row, bad});
    at = *feed + 1;
  }
  return out;
}

}  // namespace thresh
