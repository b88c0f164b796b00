#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/read/bytes.hpp"
#include "data/read/number.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {

TextSource::TextSource(const std::string& path, const ReadOptions& options,
                       std::shared_ptr<FeatureMap> features)
    : path_(path),
      fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      parser_(path, options, std::move(features)) {
  struct stat status {};
  if (fd_.get() < 0 || ::fstat(fd_.get(), &status) != 0) {
    throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  scan(options, static_cast<std::uint64_t>(status.st_size));
}

// Scans lines on all cores, and cuts them into blocks in order.
void TextSource::scan(const ReadOptions& options, std::uint64_t file_bytes) {
  // If rows may be skipped or unsorted, their ends do not show label and largest index.
  const bool by_parsing = options.skip_bad_rows || options.allow_unsorted;
  char head[kByteOrderMark.size()];
  const std::size_t got = read_at(fd_.get(), 0, head, path_);
  const bool marked = std::string_view(head, got) == kByteOrderMark;
  const std::uint64_t first = marked ? kByteOrderMark.size() : 0;
  const LineScanner scanner(fd_.get(), file_bytes, path_, options.zero_based, first);
  Cut cut;
  cut.next.offset = first;
  const auto judge = [&](std::size_t i) { return scanner.scan(i); };
  parallel_in_order(scanner.stretches(), judge, [&](std::size_t i, const ScannedStretch& stretch) {
    check_stop(options.stop, path_);
    add_lines(stretch, cut, by_parsing);
    if (by_parsing) return;
    survey_.merge_labels(stretch.labels);
    if (options.on_read) options.on_read(scanner.stretch_bytes(i));
  });
  if (cut.rule.bytes > 0) close_block(cut, by_parsing);
  survey_.blocks = spans_.size();
  hashes_ = std::vector<std::atomic<std::uint64_t>>(spans_.size());
  for (std::size_t k = 0; by_parsing && k < spans_.size(); ++k) {
    check_stop(options.stop, path_);
    if (options.on_read) options.on_read(spans_[k].bytes);
    count_block(*block(k), survey_);
  }
  survey_.rows -= survey_.bad_rows;
}

void TextSource::add_lines(const ScannedStretch& stretch, Cut& cut, bool allow_bad_labels) {
  for (const ScannedLine& line : stretch.lines) {
    cut.rule.add(line.bytes, line.entries, line.is_row);
    cut.bad_label |= line.bad_label;
    cut.next.lines_hash = add_line_hash(cut.next.lines_hash, line.hash);
    ++cut.lines;
    if (cut.rule.full()) close_block(cut, allow_bad_labels);
  }
  if (stretch.too_long) {
    throw Error(
        fmt::format("{}:{}: row is longer than 1 GB", path_, cut.next.first_line + cut.lines));
  }
}

void TextSource::close_block(Cut& cut, bool allow_bad_labels) {
  cut.next.bytes = cut.rule.bytes;
  cut.next.entries = cut.rule.entries;
  spans_.push_back(cut.next);
  survey_.rows += cut.rule.rows;
  survey_.bytes += cut.rule.bytes;
  // A bad label would make the class counts wrong. Parsing the block reports it.
  if (cut.bad_label && !allow_bad_labels) block(spans_.size() - 1);
  const Span& last = spans_.back();
  Cut rest;
  rest.next = {last.offset + last.bytes,       0, last.first_line + cut.lines,
               last.first_row + cut.rule.rows, 0, 0};
  cut = rest;
}

// Rewriting a file in place would mix two versions of it. The first time, the lines must be those
// of the scan; later on one hash of the whole text is faster.
void TextSource::check_unchanged(std::size_t k, std::string_view text) {
  if (hashes_.empty()) return;  // the scan itself asks
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size()) | 1;
  const std::uint64_t known = hashes_[k].load(std::memory_order_relaxed);
  if (known == hash) return;
  if (known != 0) throw_changed(path_);
  std::uint64_t lines = 0;
  for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
    const char* const feed = static_cast<const char*>(std::memchr(p, '\n', end - p));
    lines = add_line_hash(lines, hash_of_line(p, feed));
    p = feed + 1;
  }
  if (lines != spans_[k].lines_hash) throw_changed(path_);
  hashes_[k].store(hash, std::memory_order_relaxed);
}

BlockPtr TextSource::block(std::size_t k) {
  if (k >= spans_.size()) return nullptr;
  const Span& span = spans_[k];
  static PerThread<std::vector<char>> reused;
  std::vector<char>& text = reused.here();
  if (text.size() < span.bytes + kTextPadding) text.resize(span.bytes + kTextPadding);
  std::size_t got = read_at(fd_.get(), span.offset, {text.data(), span.bytes}, path_);
  // Only the line feed after the file's last line may be missing.
  if (got + 1 == span.bytes && k + 1 == spans_.size()) text[got++] = '\n';
  if (got != span.bytes || text[got - 1] != '\n') throw_changed(path_);
  check_unchanged(k, {text.data(), span.bytes});
  return parser_.parse({{text.data(), span.bytes}, span.first_line, span.first_row, span.entries});
}

}  // namespace thresh
