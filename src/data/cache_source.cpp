#include "data/cache_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/bytes.hpp"

namespace thresh {

CachedSource::CachedSource(std::string name, std::shared_ptr<const CacheFile> file,
                           const ReadOptions& options, std::shared_ptr<FeatureMap> features)
    : name_(std::move(name)),
      file_(std::move(file)),
      normalize_(options.normalize_l2),
      features_(std::move(features)) {}

BlockPtr CachedSource::block(std::size_t k) {
  if (k >= survey()->blocks) return nullptr;
  const PackedBlock packed = file_->block(k);
  const BlockHead& head = packed.head();
  auto out = std::make_shared<RowBlock>();
  out->slots.resize(head.entries + kUnpackRoom);
  out->values.resize(head.entries + kUnpackRoom);
  std::size_t at = 0;
  for (std::size_t row = 0; row < packed.rows(); ++row) {
    at += unpack(packed, row, out->slots.data() + at, out->values.data() + at);
    out->starts.push_back(at);
    out->labels.push_back(packed.label(row));
    out->ids.push_back(packed.id(row));
    out->lines.push_back(packed.line(row));
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

std::shared_ptr<RowSource> open_cache(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  auto file = std::make_shared<const CacheFile>(path);
  ReadOptions counted;
  counted.zero_based = true;
  const bool zero_based = (file->origin().reading & reading_key(counted)) != 0;
  if (zero_based != options.zero_based) {
    throw Error(fmt::format("{}: the cache counts features from {}, but {} was asked for {}", path,
                            zero_based ? 0 : 1, zero_based ? 1 : 0,
                            zero_based ? "(--zero-based is missing)" : "(--zero-based)"));
  }
  const std::uint64_t dimension = file->survey().dimension;
  if (options.dim != 0 && dimension > options.dim) {
    throw Error(fmt::format("{}: feature index {} is above --dim {}", path,
                            dimension - (zero_based ? 1 : 0), options.dim));
  }
  return std::make_shared<CachedSource>(path, std::move(file), options, std::move(features));
}

}  // namespace thresh
