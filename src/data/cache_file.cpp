#include "data/cache_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/number.hpp"
#include "data/sources.hpp"
#include "files/atomic_file.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kVersion = 2;

struct Head {
  char magic[8];
  std::uint64_t version;
};

struct Facts {
  CacheOrigin origin;
  std::uint64_t rows, blocks, bytes, dimension, bad_rows, labels, more_labels;
  // Since version 2:
  double mean_weight;  // 0: rows have none of their own
  std::uint64_t names, names_bytes, names_checksum, words_bytes;
};
constexpr std::size_t kFirstFacts = sizeof(Facts) - 5 * 8;  // how long they were in version 1

struct End {
  std::uint64_t tail;  // offset
  std::uint64_t checksum;
  char magic[8];
};
static_assert(sizeof(End) + kFirstFacts >= kPackPadding, "what unpacks may read beyond a block");
static_assert(sizeof(End) + sizeof(Facts) >= kTextPadding, "so may what reads numbers in names");

std::uint64_t checksum_of(std::span<const unsigned char> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

template <class T>
std::string_view as_bytes(const T* data, std::size_t n = 1) {
  return {reinterpret_cast<const char*>(data), n * sizeof(T)};
}

class CacheWriter {
 public:
  CacheWriter(const std::string& path, const FeatureMap& features)
      : features_(features), file_(writing([&] { return std::make_unique<AtomicFile>(path); })) {
    Head head{{}, kVersion};
    kCacheMagic.copy(head.magic, sizeof head.magic);
    write(as_bytes(&head));
  }

  struct Packed {
    BlockPtr rows;
    Bytes bytes;
    std::uint64_t checksum = 0;
  };
  // Thread-safe.
  Packed pack(const BlockPtr& block) const {
    Packed packed{block, pack_block(*block, features_), 0};
    packed.checksum = checksum_of(packed.bytes);
    return packed;
  }

  void add(const Packed& packed) {
    survey_.rows += packed.rows->rows();
    survey_.bytes += packed.rows->source_bytes;
    ++survey_.blocks;
    count_block(*packed.rows, survey_);
    weights_.add(*packed.rows);
    index_.insert(index_.end(), {written_, packed.bytes.size(), packed.checksum});
    write(as_bytes(packed.bytes.data(), packed.bytes.size()));
  }

  void finish(const CacheOrigin& origin, const CacheWords& words) {
    Facts facts{};
    facts.origin = origin;
    facts.rows = survey_.rows;
    facts.blocks = survey_.blocks;
    facts.bytes = survey_.bytes;
    facts.dimension = survey_.dimension;
    facts.bad_rows = survey_.bad_rows;
    facts.labels = survey_.labels.size();
    facts.more_labels = survey_.more_labels ? 1 : 0;
    facts.mean_weight = weights_.weighted ? weights_.mean() : 0;
    facts.words_bytes = words.words.size();
    if (words.names) write_names(words, facts);
    std::string tail(as_bytes(&facts));
    tail += as_bytes(survey_.labels.data(), survey_.labels.size());
    tail += as_bytes(index_.data(), index_.size());
    tail += words.words;
    End end{written_, XXH3_64bits(tail.data(), tail.size()), {}};
    kCacheMagic.copy(end.magic, sizeof end.magic);
    write(tail);
    write(as_bytes(&end));
    writing([&] { file_->commit(); });
  }

 private:
  template <class Act>
  static auto writing(const Act& act) -> decltype(act()) {
    try {
      return act();
    } catch (const Error& error) {
      throw CacheNotWritten(error.what());
    }
  }

  void write_names(const CacheWords& words, Facts& facts) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    facts.names = written_;
    words.names([&](std::string_view bytes) {
      XXH3_64bits_update(&state, bytes.data(), bytes.size());
      write(bytes);
    });
    facts.names_bytes = written_ - facts.names;
    facts.names_checksum = XXH3_64bits_digest(&state);
  }

  void write(std::string_view bytes) {
    writing([&] { file_->write(bytes); });
    written_ += bytes.size();
  }

  const FeatureMap& features_;
  std::unique_ptr<AtomicFile> file_;
  std::uint64_t written_ = 0;
  Survey survey_;
  MeanWeight weights_;
  std::vector<std::uint64_t> index_;
};

}  // namespace

std::uint64_t reading_key(const ReadOptions& options) {
  return (options.zero_based ? 1U : 0U) | (options.allow_unsorted ? 2U : 0U) |
         (options.skip_bad_rows ? 4U : 0U);
}

void write_cache(const std::string& path, RowSource& source, const FeatureMap& features,
                 const std::function<void(std::uint64_t bytes)>& on_block,
                 const std::function<CacheOrigin()>& origin, const CacheWords& words) {
  CacheWriter writer(path, features);
  const auto take = [&](std::size_t, const CacheWriter::Packed& packed) {
    writer.add(packed);
    if (on_block) on_block(packed.rows->source_bytes);
  };
  if (const Survey* survey = source.survey()) {
    const auto pack = [&](std::size_t k) { return writer.pack(source.block(k)); };
    parallel_in_order(survey->blocks, pack, take);
  } else {
    for (std::size_t k = 0; const BlockPtr block = source.block(k); ++k) {
      take(k, writer.pack(block));
    }
  }
  writer.finish(origin(), words);
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
  const Fd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) {
    throw Error(fmt::format("{}: {}", path_, last_error().message()));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < sizeof(Head) + kFirstFacts + sizeof(End)) refuse("it is cut short");
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) throw Error(fmt::format("{}: {}", path_, last_error().message()));
  bytes_ = {static_cast<const unsigned char*>(mapped), size};
}

void CacheFile::read_tail() {
  Head head{};
  End end{};
  std::memcpy(&head, bytes_.data(), sizeof head);
  std::memcpy(&end, bytes_.data() + bytes_.size() - sizeof end, sizeof end);
  if (std::string_view(head.magic, sizeof head.magic) != kCacheMagic) refuse("it is not one");
  if (head.version == 0 || head.version > kVersion) {
    refuse("it was made by another version of thresh");
  }
  if (std::string_view(end.magic, sizeof end.magic) != kCacheMagic) refuse("it is cut short");
  const std::size_t tail_end = bytes_.size() - sizeof end;
  const std::size_t facts_bytes = head.version == 1 ? kFirstFacts : sizeof(Facts);
  if (head.version == 1) block_head_ = kFirstBlockHead;
  if (end.tail < sizeof head || end.tail > tail_end || tail_end - end.tail < facts_bytes) {
    refuse("its end is damaged");
  }
  const auto tail = bytes_.subspan(end.tail, tail_end - end.tail);
  if (checksum_of(tail) != end.checksum) refuse("its end is damaged");
  blocks_ = bytes_.first(end.tail);
  Facts facts{};
  std::memcpy(&facts, tail.data(), facts_bytes);
  const std::size_t rest = tail.size() - facts_bytes;
  if (facts.words_bytes > rest) refuse("its end is damaged");
  const std::size_t arrays = rest - facts.words_bytes;
  const bool weighs =
      facts.mean_weight == 0 || (facts.mean_weight > 0 && std::isnormal(facts.mean_weight));
  if (facts.labels > Survey::kMaxLabels || facts.blocks > arrays / sizeof(Span) ||
      facts.labels * sizeof(LabelCount) + facts.blocks * sizeof(Span) != arrays || !weighs) {
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
  const unsigned char* const labels = tail.data() + facts_bytes;
  const std::size_t label_bytes = facts.labels * sizeof(LabelCount);
  if (label_bytes > 0) std::memcpy(survey_.labels.data(), labels, label_bytes);
  if (!spans_.empty()) std::memcpy(spans_.data(), labels + label_bytes, arrays - label_bytes);
  words_.assign(reinterpret_cast<const char*>(labels) + arrays, facts.words_bytes);
  checked_ = std::make_unique<std::atomic<bool>[]>(facts.blocks);
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

PackedBlock CacheFile::block(std::size_t k) const {
  const Span& span = spans_[k];
  const auto refuse_block = [&](std::string_view why) {
    refuse(fmt::format("block {} of {}: {}", k + 1, spans_.size(), why));
  };
  const std::uint64_t end = blocks_.size();
  if (span.offset > end || span.bytes > end - span.offset) refuse_block("it lies outside the file");
  const auto bytes = blocks_.subspan(span.offset, span.bytes);
  const bool is_new = !checked_[k];
  if (is_new && checksum_of(bytes) != span.checksum) refuse_block("its checksum is wrong");
  try {
    PackedBlock block(bytes, block_head_);
    if (is_new) {
      block.check();
      check_against_survey(block);
      checked_[k] = true;
    }
    return block;
  } catch (const BadBlock& bad) {
    refuse_block(bad.reason);
    throw;
  }
}

// Whoever has looked at the survey counts on it.
void CacheFile::check_against_survey(const PackedBlock& block) const {
  const std::uint64_t ids = survey_.rows + survey_.bad_rows;
  if (block.rows() > 0 && block.id(block.rows() - 1) >= ids) throw BadBlock{"its ids are bad"};
  if (block.head().dimension > survey_.dimension) throw BadBlock{"its dimension is bad"};
  const auto is_listed = [&](double label) {
    return std::any_of(survey_.labels.begin(), survey_.labels.end(),
                       [&](const LabelCount& count) { return count.label == label; });
  };
  for (std::size_t row = 0; row < block.rows() && !survey_.more_labels; ++row) {
    if (!is_listed(block.label(row))) throw BadBlock{"its labels are bad"};
  }
}

void CacheFile::refuse(std::string_view why) const {
  throw Error(fmt::format("{}: not a good cache of rows: {} (make it anew)", path_, why));
}

}  // namespace thresh
