// Writes rows to a cache file, block by block as they arrive.

#include <memory>
#include <vector>

#include "data/cache/layout.hpp"
#include "data/cache/parts.hpp"
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
  CacheWriter(const std::string& path, const FeatureMap& features, std::uint64_t slices)
      : features_(features),
        slices_(slices),
        file_(writing([&] { return std::make_unique<AtomicFile>(path); })),
        part_spans_(parts_of(slices)) {
    CacheHead head{{}, slices > 0 ? kCacheVersion : kCacheVersionWhole};
    kCacheMagic.copy(head.magic, sizeof head.magic);
    write(as_bytes(&head));
  }

  struct Packed {
    BlockPtr rows;
    std::vector<Bytes> bytes;  // of the block, and of its parts
    std::vector<std::uint64_t> checksums;
  };
  // Thread-safe.
  Packed pack(const BlockPtr& block) const {
    Packed packed{block, {}, {}};
    if (slices_ == 0) {
      packed.bytes.push_back(pack_block(*block, features_));
    } else {
      const SlicedBlock divided = divide(*block, features_, slices_);
      packed.bytes.push_back(pack_block(divided.rows, features_));
      for (const RowBlock& part : divided.parts) {
        packed.bytes.push_back(pack_block(part, features_));
      }
    }
    for (const Bytes& bytes : packed.bytes) packed.checksums.push_back(checksum_of(bytes));
    return packed;
  }

  void add(const Packed& packed) {
    survey_.rows += packed.rows->rows();
    survey_.bytes += packed.rows->source_bytes;
    ++survey_.blocks;
    count_block(*packed.rows, survey_);
    weights_.add(*packed.rows);
    for (std::size_t i = 0; i < packed.bytes.size(); ++i) {
      const Bytes& bytes = packed.bytes[i];
      (i == 0 ? spans_ : part_spans_[i - 1])
          .push_back({written_, bytes.size(), packed.checksums[i]});
      write(as_bytes(bytes.data(), bytes.size()));
    }
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
    const std::vector<std::uint64_t> parts = write_part_spans(facts);
    std::string tail(as_bytes(&facts).substr(0, slices_ > 0 ? sizeof facts : kSecondCacheFacts));
    tail += as_bytes(survey_.labels.data(), survey_.labels.size());
    tail += as_bytes(spans_.data(), spans_.size());
    tail += as_bytes(parts.data(), parts.size());
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

  // Returns the checksum of each part's index.
  std::vector<std::uint64_t> write_part_spans(CacheFacts& facts) {
    std::vector<std::uint64_t> checksums;
    facts.slices = slices_;
    facts.part_spans = written_;
    for (const std::vector<CacheSpan>& spans : part_spans_) {
      const std::string_view bytes = as_bytes(spans.data(), spans.size());
      checksums.push_back(XXH3_64bits(bytes.data(), bytes.size()));
      write(bytes);
    }
    return checksums;
  }

  void write(std::string_view bytes) {
    writing([&] { file_->write(bytes); });
    written_ += bytes.size();
  }

  const FeatureMap& features_;
  std::uint64_t slices_;  // 0: none
  std::unique_ptr<AtomicFile> file_;
  std::uint64_t written_ = 0;
  Survey survey_;
  MeanWeight weights_;
  std::vector<CacheSpan> spans_;                    // of the blocks
  std::vector<std::vector<CacheSpan>> part_spans_;  // of each part
};

}  // namespace

void write_cache(const std::string& path, RowSource& source, const FeatureMap& features,
                 const std::function<void(std::uint64_t bytes)>& on_block,
                 const std::function<CacheOrigin()>& origin, const CacheWords& words,
                 std::uint64_t slices) {
  CacheWriter writer(path, features, slices);
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
