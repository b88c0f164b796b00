#include "data/cache/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/cache/parts.hpp"
#include "data/cache/translation.hpp"
#include "data/cache/words.hpp"
#include "data/names/named_source.hpp"
#include "data/read/sources.hpp"

namespace thresh {

CachedSource::CachedSource(std::string name, std::shared_ptr<const CacheFile> file,
                           const ReadOptions& options, std::shared_ptr<FeatureMap> features,
                           std::vector<std::string> label_names)
    : name_(std::move(name)),
      file_(std::move(file)),
      survey_(file_->survey()),
      normalize_(options.normalize_l2),
      mean_weight_(options.once ? 1 : file_->mean_weight()),
      features_(std::move(features)) {
  survey_.label_names = std::move(label_names);
  if (file_->slices() == 0) return;
  // The length of a row needs all of it.
  const auto& share = features_->share();
  const bool some = share && share->slices == file_->slices() && !normalize_;
  const std::uint64_t first = some ? part_of(share->first, share->slices) : 0;
  const std::uint64_t end =
      some ? part_of(share->end - 1, share->slices) + 1 : parts_of(file_->slices());
  parts_ = std::make_unique<const CacheParts>(file_, first, end);
}

CachedSource::~CachedSource() = default;

BlockPtr CachedSource::block(std::size_t k) {
  if (k >= survey()->blocks) return nullptr;
  Bytes memory;
  const PackedBlock packed = parts_ ? file_->block(k, memory) : file_->block(k);
  const BlockHead& head = packed.head();
  auto out = std::make_shared<RowBlock>();
  const BlockParts parts = parts_ ? parts_->of(k, packed) : BlockParts();
  const std::size_t entries = parts_ ? parts.entries() : head.entries;
  out->slots.resize(entries + kUnpackRoom);
  out->values.resize(entries + kUnpackRoom);
  std::size_t at = 0;
  for (std::size_t row = 0; row < packed.rows(); ++row) {
    std::uint32_t* const slots = out->slots.data() + at;
    double* const values = out->values.data() + at;
    at += parts_ ? parts.unpack(row, *features_, normalize_, slots, values)
                 : unpack(packed, row, slots, values);
    out->starts.push_back(at);
    out->labels.push_back(packed.label(row));
    out->ids.push_back(packed.id(row));
    out->lines.push_back(packed.line(row));
    if (survey_.weighted) out->weights.push_back(weight(packed, row));
  }
  out->slots.resize(at);
  out->values.resize(at);
  for (const std::uint32_t slot : out->slots) {
    out->slot_end = std::max(out->slot_end, std::uint64_t{slot} + 1);
  }
  out->dimension = head.dimension;
  out->source_bytes = head.source_bytes;
  out->bad_rows = head.bad_rows;
  return out;
}

std::shared_ptr<RowSource> open_named_cache(const std::string& name,
                                            std::shared_ptr<const CacheFile> file,
                                            const CachedWords& words, const ReadOptions& options,
                                            std::shared_ptr<FeatureMap> features) {
  ReadOptions read = options;
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>();
  Vocabulary& vocabulary = *read.vocabulary;
  if (!vocabulary.labels.settled()) {
    words.restore(vocabulary);
    return std::make_shared<CachedSource>(name, std::move(file), read, std::move(features),
                                          words.labels());
  }
  const auto rows = std::make_shared<TranslatedRows>(name, file, words, read, std::move(features));
  if (read.once) return rows;
  return std::make_shared<NamedSource>(*rows, vocabulary, true);
}

std::shared_ptr<RowSource> open_cache(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  auto file = std::make_shared<const CacheFile>(path);
  const CachedWords words(file);
  if (options.format != Format::automatic && options.format != words.format()) {
    throw Error(fmt::format("{}: the cache holds {} data, not {} (use --format {})", path,
                            name_of(words.format()), name_of(options.format),
                            name_of(words.format())));
  }
  check_read_options(options, words.format());
  if (words.format() != Format::libsvm) {
    words.check_asked(options);
    const bool known = options.vocabulary && options.vocabulary->labels.settled();
    if (const std::string why = known ? words.misfit(*options.vocabulary) : ""; !why.empty()) {
      throw Error(fmt::format("{}: the cache cannot be used here: {}", path, why));
    }
    return open_named_cache(path, file, words, options, std::move(features));
  }
  ReadOptions counted;
  counted.zero_based = true;
  const bool zero_based = (file->origin().reading & reading_key(counted)) != 0;
  if (zero_based != options.zero_based) {
    throw Error(fmt::format("{}: feature indices in the cache start at {}, not {} {}", path,
                            zero_based ? 0 : 1, zero_based ? 1 : 0,
                            zero_based ? "(add --zero-based)" : "(leave out --zero-based)"));
  }
  const std::uint64_t dimension = file->survey().dimension;
  if (options.dim != 0 && dimension > options.dim) {
    throw Error(fmt::format("{}: feature index {} is above --dim {}", path,
                            dimension - (zero_based ? 1 : 0), options.dim));
  }
  return std::make_shared<CachedSource>(path, std::move(file), options, std::move(features));
}

}  // namespace thresh
