#include "data/cache/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "data/cache/layout.hpp"
#include "data/cache/parts.hpp"
#include "files/fd.hpp"

namespace thresh {

std::uint64_t reading_key(const ReadOptions& options) {
  return (options.zero_based ? 1U : 0U) | (options.allow_unsorted ? 2U : 0U) |
         (options.skip_bad_rows ? 4U : 0U);
}

CacheFile::CacheFile(const std::string& path) : path_(path) {
  map();
  try {
    read_tail();
  } catch (...) {
    ::munmap(const_cast<unsigned char*>(bytes_.data()), bytes_.size());
    throw;
  }
}

CacheFile::~CacheFile() {
  ::munmap(const_cast<unsigned char*>(bytes_.data()), bytes_.size());
}

void CacheFile::map() {
  fd_ = Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd_ || ::fstat(fd_.get(), &info) != 0) {
    throw Error(fmt::format("{}: {}", path_, last_error().message()));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < sizeof(CacheHead) + kFirstCacheFacts + sizeof(CacheEnd)) refuse("it is truncated");
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (mapped == MAP_FAILED) throw Error(fmt::format("{}: {}", path_, last_error().message()));
  bytes_ = {static_cast<const unsigned char*>(mapped), size};
  stamp_ = stamp_of(fd_.get());
}

void CacheFile::read_tail() {
  CacheHead head{};
  CacheEnd end{};
  std::memcpy(&head, bytes_.data(), sizeof head);
  std::memcpy(&end, bytes_.data() + bytes_.size() - sizeof end, sizeof end);
  if (std::string_view(head.magic, sizeof head.magic) != kCacheMagic)
    refuse("it has no cache header");
  if (head.version == 0 || head.version > kCacheVersion) {
    refuse("it was made by another version of thresh");
  }
  if (std::string_view(end.magic, sizeof end.magic) != kCacheMagic) refuse("it is truncated");
  const std::size_t tail_end = bytes_.size() - sizeof end;
  const std::size_t facts_bytes = head.version == 1   ? kFirstCacheFacts
                                  : head.version == 2 ? kSecondCacheFacts
                                                      : sizeof(CacheFacts);
  if (head.version == 1) block_head_ = kFirstBlockHead;
  if (end.tail < sizeof head || end.tail > tail_end || tail_end - end.tail < facts_bytes) {
    refuse("its end is damaged");
  }
  const auto tail = bytes_.subspan(end.tail, tail_end - end.tail);
  if (checksum_of(tail) != end.checksum) refuse("its end is damaged");
  checksum_ = end.checksum;
  blocks_ = bytes_.first(end.tail);
  CacheFacts facts{};
  std::memcpy(&facts, tail.data(), facts_bytes);
  take_facts(facts, tail.subspan(facts_bytes), head.version == kCacheVersion);
}

void CacheFile::take_facts(const CacheFacts& facts, std::span<const unsigned char> rest,
                           bool has_slices) {
  if (facts.words_bytes > rest.size()) refuse("its end is damaged");
  const std::size_t arrays = rest.size() - facts.words_bytes;
  const bool weighs =
      facts.mean_weight == 0 || (facts.mean_weight > 0 && std::isnormal(facts.mean_weight));
  const bool sliced = facts.slices >= 1 && facts.slices <= kMostSlices;
  if (facts.labels > Survey::kMaxLabels || facts.blocks > arrays / sizeof(CacheSpan) || !weighs ||
      sliced != has_slices) {
    refuse("its end is damaged");
  }
  slices_ = facts.slices;
  part_spans_ = facts.part_spans;
  part_checksums_.resize(sliced ? parts_of(slices_) : 0);
  if (facts.labels * sizeof(LabelCount) + facts.blocks * sizeof(CacheSpan) +
          part_checksums_.size() * sizeof(std::uint64_t) !=
      arrays) {
    refuse("its end is damaged");
  }
  origin_ = facts.origin;
  names_ = {facts.names, facts.names_bytes, facts.names_checksum};
  survey_.weighted = facts.mean_weight != 0;
  if (survey_.weighted) mean_weight_ = facts.mean_weight;
  survey_.rows = facts.rows;
  survey_.blocks = facts.blocks;
  survey_.bytes = facts.bytes;
  survey_.dimension = facts.dimension;
  survey_.bad_rows = facts.bad_rows;
  survey_.more_labels = facts.more_labels != 0;
  survey_.labels.resize(facts.labels);
  spans_.resize(facts.blocks);
  const unsigned char* at = rest.data();
  const auto take = [&](auto& numbers) {
    const std::size_t bytes = numbers.size() * sizeof numbers[0];
    if (bytes > 0) std::memcpy(numbers.data(), at, bytes);
    at += bytes;
  };
  take(survey_.labels);
  take(spans_);
  take(part_checksums_);
  words_.assign(reinterpret_cast<const char*>(at), facts.words_bytes);
  checked_ = std::make_unique<std::atomic<bool>[]>(facts.blocks);
}

std::vector<CacheSpan> CacheFile::spans_of_part(std::uint64_t part) const {
  const std::uint64_t bytes = spans_.size() * sizeof(CacheSpan);
  const std::uint64_t parts = part_checksums_.size();
  if (!has(part_spans_, 0) || !has(part_spans_, parts * bytes)) {
    refuse("the index of its parts lies outside");
  }
  const auto index = blocks_.subspan(part_spans_ + part * bytes, bytes);
  if (checksum_of(index) != part_checksums_[part]) refuse("the index of its parts is damaged");
  std::vector<CacheSpan> spans(spans_.size());
  if (bytes > 0) std::memcpy(spans.data(), index.data(), bytes);
  return spans;
}

void CacheFile::read(std::uint64_t offset, std::span<unsigned char> out) const {
  if (stamp_of(fd_.get()) != stamp_) throw_changed(path_);
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", path_, last_error().message()));
    if (got == 0) throw_changed(path_);
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string_view CacheFile::names() const {
  const std::uint64_t end = blocks_.size();
  if (names_.offset > end || names_.bytes > end - names_.offset) refuse("its names lie outside");
  const auto bytes = blocks_.subspan(names_.offset, names_.bytes);
  if (!bytes.empty() && !names_checked_ && checksum_of(bytes) != names_.checksum) {
    refuse("its names are damaged");
  }
  names_checked_ = true;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void CacheFile::refuse_block(std::size_t k, std::string_view why) const {
  refuse(fmt::format("block {} of {}: {}", k + 1, spans_.size(), why));
}

const CacheSpan& CacheFile::span_of(std::size_t k) const {
  const CacheSpan& span = spans_[k];
  if (!has(span.offset, span.bytes)) refuse_block(k, "it lies outside the file");
  return span;
}

PackedBlock CacheFile::block(std::size_t k) const {
  if (stamp_of(fd_.get()) != stamp_) throw_changed(path_);
  const CacheSpan& span = span_of(k);
  return open(k, blocks_.subspan(span.offset, span.bytes));
}

PackedBlock CacheFile::block(std::size_t k, Bytes& memory) const {
  const CacheSpan& span = span_of(k);
  memory.resize(span.bytes + kPackPadding);
  read(span.offset, {memory.data(), static_cast<std::size_t>(span.bytes)});
  return open(k, {memory.data(), static_cast<std::size_t>(span.bytes)});
}

PackedBlock CacheFile::open(std::size_t k, std::span<const unsigned char> bytes) const {
  const bool is_new = !checked_[k];
  if (is_new && checksum_of(bytes) != spans_[k].checksum) refuse_block(k, "its checksum is wrong");
  try {
    PackedBlock block(bytes, block_head_);
    if (is_new) {
      block.check();
      check_against_survey(block);
      checked_[k] = true;
    }
    return block;
  } catch (const BadBlock& bad) {
    refuse_block(k, bad.reason);
  }
}

// Users of the survey rely on it.
void CacheFile::check_against_survey(const PackedBlock& block) const {
  const std::uint64_t ids = survey_.rows + survey_.bad_rows;
  if (block.rows() > 0 && block.id(block.rows() - 1) >= ids) throw BadBlock{"its ids are invalid"};
  if (block.head().dimension > survey_.dimension) throw BadBlock{"its dimension is invalid"};
  if (slices_ > 0 && block.head().entries > 0) throw BadBlock{"it has entries outside its parts"};
  const auto is_listed = [&](double label) {
    return std::any_of(survey_.labels.begin(), survey_.labels.end(),
                       [&](const LabelCount& count) { return count.label == label; });
  };
  for (std::size_t row = 0; row < block.rows() && !survey_.more_labels; ++row) {
    if (!is_listed(block.label(row))) throw BadBlock{"its labels are invalid"};
  }
}

void CacheFile::refuse(std::string_view why) const {
  throw Error(fmt::format("{}: not a valid cache: {} (create it again)", path_, why));
}

}  // namespace thresh
