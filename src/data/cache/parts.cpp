#include "data/cache/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/cache/layout.hpp"
#include "data/read/row_scale.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

struct PartEntry {
  std::uint64_t id;
  double value;
};

// Entries of a row: runs with ascending ids, which become one.
struct PartRuns {
  std::vector<PartEntry> entries, merged;
  std::vector<std::size_t> starts;  // of the runs, and the end

  void clear() {
    entries.clear();
    starts.assign(1, 0);
  }
  void merge() {
    while (starts.size() > 2) merge_pairs();
  }

 private:
  void merge_pairs() {
    const auto at = [&](std::size_t run) {
      const std::size_t last = starts.size() - 1;
      return entries.begin() + static_cast<std::ptrdiff_t>(starts[std::min(run, last)]);
    };
    const auto lower = [](const PartEntry& a, const PartEntry& b) { return a.id < b.id; };
    merged.resize(entries.size());
    std::vector<std::size_t> ends = {0};
    auto out = merged.begin();
    for (std::size_t run = 0; run + 1 < starts.size(); run += 2) {
      out = std::merge(at(run), at(run + 1), at(run + 1), at(run + 2), out, lower);
      ends.push_back(static_cast<std::size_t>(out - merged.begin()));
    }
    entries.swap(merged);
    starts.swap(ends);
  }
};

}  // namespace

SlicedBlock divide(const RowBlock& block, const FeatureMap& features, std::uint64_t slices) {
  SlicedBlock divided{block, std::vector<RowBlock>(parts_of(slices))};
  RowBlock& rows = divided.rows;
  rows.slots.clear();
  rows.values.clear();
  rows.lent_slots = nullptr;
  rows.lent_values = nullptr;
  std::fill(rows.starts.begin(), rows.starts.end(), 0);
  std::vector<std::uint64_t> numbers(block.rows());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (RowBlock& part : divided.parts) {
    part.labels.assign(block.rows(), 1);
    part.ids = numbers;
    part.lines = numbers;
    part.dimension = block.dimension;
  }
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const Row row = block.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      const std::uint64_t slice = slice_of(features.id(row.slots[k]), slices);
      RowBlock& part = divided.parts[part_of(slice, slices)];
      part.slots.push_back(row.slots[k]);
      part.values.push_back(row.values[k]);
    }
    for (RowBlock& part : divided.parts) part.starts.push_back(part.slots.size());
  }
  return divided;
}

std::size_t BlockParts::unpack(std::size_t row, FeatureMap& features, bool normalize,
                               std::uint32_t* slots, double* values) const {
  static PerThread<PartRuns> reused;
  PartRuns& runs = reused.here();
  runs.clear();
  for (const PackedBlock& part : parts_) {
    part.for_each(row, [&](std::uint64_t id, double value) {
      runs.entries.push_back({id, value});
    });
    if (runs.entries.size() > runs.starts.back()) runs.starts.push_back(runs.entries.size());
  }
  runs.merge();
  const std::size_t n = runs.entries.size();
  for (std::size_t i = 0; i < n; ++i) values[i] = runs.entries[i].value;
  if (normalize) normalize_l2(values, n);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i] == 0) continue;
    const std::uint32_t slot = features.slot(runs.entries[i].id);
    if (slot == FeatureMap::kUnknown) continue;
    slots[kept] = slot;
    values[kept++] = values[i];
  }
  return kept;
}

CacheParts::CacheParts(std::shared_ptr<const CacheFile> file, std::uint64_t first,
                       std::uint64_t end)
    : file_(std::move(file)), first_(first), end_(end), blocks_(file_->survey().blocks) {
  for (std::uint64_t part = first; part < end; ++part) {
    const std::vector<CacheSpan> spans = file_->spans_of_part(part);
    spans_.insert(spans_.end(), spans.begin(), spans.end());
  }
  checked_ = std::make_unique<std::atomic<bool>[]>(blocks_);
}

BlockParts CacheParts::of(std::size_t k, const PackedBlock& rows) const {
  const auto refuse = [&](std::uint64_t part, std::string_view why) {
    file_->refuse(fmt::format("block {} of {}, part {} of {}: {}", k + 1, blocks_, part + 1,
                              parts_of(file_->slices()), why));
  };
  BlockParts parts;
  if (first_ == end_) return parts;
  const std::uint64_t begin = span(first_, k).offset;
  std::uint64_t at = begin;
  for (std::uint64_t p = first_; p < end_; ++p) {  // they lie together
    if (span(p, k).offset != at || !file_->has(at, span(p, k).bytes)) {
      refuse(p, "it is not in its place");
    }
    at += span(p, k).bytes;
  }
  parts.bytes_.resize(at - begin + kPackPadding);
  file_->read(begin, {parts.bytes_.data(), static_cast<std::size_t>(at - begin)});
  const bool is_new = !checked_[k];
  for (std::uint64_t p = first_; p < end_; ++p) {
    const CacheSpan& where = span(p, k);
    try {
      const std::span<const unsigned char> bytes(parts.bytes_.data() + (where.offset - begin),
                                                 static_cast<std::size_t>(where.bytes));
      parts.parts_.push_back(open(p, bytes, where, rows, is_new));
    } catch (const BadBlock& bad) {
      refuse(p, bad.reason);
    }
    parts.entries_ += parts.parts_.back().head().entries;
  }
  checked_[k] = true;
  return parts;
}

PackedBlock CacheParts::open(std::uint64_t part, std::span<const unsigned char> bytes,
                             const CacheSpan& span, const PackedBlock& rows, bool is_new) const {
  if (is_new && checksum_of(bytes) != span.checksum) throw BadBlock{"its checksum is wrong"};
  PackedBlock block(bytes);
  if (is_new) {
    block.check();
    check(part, block, rows);
  }
  return block;
}

// Ranks rely on it: each looks for its features in its own parts only.
void CacheParts::check(std::uint64_t part, const PackedBlock& block,
                       const PackedBlock& rows) const {
  if (block.rows() != rows.rows()) throw BadBlock{"it has other rows than its block"};
  if (block.head().dimension != rows.head().dimension) throw BadBlock{"its dimension is invalid"};
  const std::uint64_t slices = file_->slices();
  for (std::size_t row = 0; row < block.rows(); ++row) {
    block.for_each(row, [&](std::uint64_t id, double) {
      if (part_of(slice_of(id, slices), slices) != part) {
        throw BadBlock{"a feature is of another part"};
      }
    });
  }
}

}  // namespace thresh
