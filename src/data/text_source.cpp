#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "data/number.hpp"
#include "data/sources.hpp"

namespace thresh {
namespace {

// Label and dimension of a row from its two ends, at the speed of memchr; false for a bad label.
// Good for rows that will be accepted; what else is wrong with the others is found, and said, when
// they are parsed.
bool count_row_text(const char* begin, const char* end, bool zero_based, Survey& survey) {
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
  const std::uint64_t index = is_feature ? parse_index(digits) : 0;  // else it is a qid
  if (is_feature && index <= FeatureMap::kMaxIndex) {
    survey.dimension = std::max(survey.dimension, index + (zero_based ? 1 : 0));
  }
  return true;
}

}  // namespace

TextSource::TextSource(const std::string& path, const ReadOptions& options,
                       std::shared_ptr<FeatureMap> features)
    : path_(path),
      fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      parser_(path, options, std::move(features)) {
  if (fd_.get() < 0) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  scan(options);
}

void TextSource::scan(const ReadOptions& options) {
  // Rows that may be skipped or unsorted do not show label and largest index at their ends.
  const bool by_parsing = options.skip_bad_rows || options.allow_unsorted;
  bool bad_label = false;
  BlockCutter::RowVisitor visit;
  if (!by_parsing) {
    visit = [&](const char* begin, const char* end) {
      if (!count_row_text(begin, end, options.zero_based, survey_)) bad_label = true;
    };
  }
  BlockCutter cutter(open_bytes(path_), path_, visit);
  TextBlock text;
  while (cutter.next(text)) {
    if (options.stop != nullptr && *options.stop) throw Interrupted(path_ + ": interrupted");
    if (options.on_read) options.on_read(text.text.size());
    spans_.push_back(
        {cutter.offset(), text.text.size(), text.first_line, text.first_row, text.entries});
    survey_.rows = cutter.rows();
    survey_.bytes += text.text.size();
    if (by_parsing) count_block(*parser_.parse(text), survey_);
    if (bad_label) parser_.parse(text);  // throws: without it the classes would be misjudged
  }
  survey_.blocks = spans_.size();
  survey_.rows -= survey_.bad_rows;
}

BlockPtr TextSource::block(std::size_t k) {
  if (k >= spans_.size()) return nullptr;
  const Span& span = spans_[k];
  thread_local std::vector<char> text;  // kept from block to block
  if (text.size() < span.bytes + kTextPadding) text.resize(span.bytes + kTextPadding);
  std::size_t got = 0;
  while (got < span.bytes) {
    const ssize_t n = ::pread(fd_.get(), text.data() + got, span.bytes - got,
                              static_cast<off_t>(span.offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  // Only the line feed that the file's last line lacks may be missing.
  if (got + 1 == span.bytes && k + 1 == spans_.size()) text[got++] = '\n';
  if (got != span.bytes || text[got - 1] != '\n') {
    throw Error(fmt::format("{}: the file changed while it was being read", path_));
  }
  return parser_.parse({{text.data(), got}, span.first_line, span.first_row, span.entries});
}

}  // namespace thresh
