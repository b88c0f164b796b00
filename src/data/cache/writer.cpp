// Writes rows to a cache file, block by block as they arrive.

#include <memory>
#include <vector>

#include "data/cache/layout.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "thresh/files.hpp"

namespace thresh {
namespace {

template <class T>
std::string_view as_bytes(const T* data, std::size_t n = 1) {
  return {reinterpret_cast<const char*>(data), n * sizeof(T)};
}

class CacheWriter {
 public:
  CacheWriter(const std::string& path, const FeatureMap& features)
      : features_(features), file_(writing([&] { return std::make_unique<AtomicFile>(path); })) {
    CacheHead head{{}, kCacheVersion};
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
    CacheFacts facts{};
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
    CacheEnd end{written_, XXH3_64bits(tail.data(), tail.size()), {}};
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

  void write_names(const CacheWords& words, CacheFacts& facts) {
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

}  // namespace thresh
