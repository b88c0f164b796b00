#include "data/read/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/read/bad_row.hpp"
#include "data/read/bytes.hpp"
#include "data/read/entries.hpp"
#include "data/read/line_scan.hpp"
#include "data/read/number.hpp"
#include "data/read/row_scale.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

// The token at p for a message: short and always printable.
std::string quote(const char* p, const char* end) {
  std::string text;
  for (; p < end && !is_space(*p); ++p) {
    if (text.size() == 40) return "'" + text + "...'";
    text += *p >= 0x20 && *p < 0x7f ? *p : '?';
  }
  return "'" + text + "'";
}

}  // namespace

// Throws what is wrong with the entry at `token`.
void LibsvmParser::refuse(const char* token, const char* end, const Entries& row) const {
  const char* p = token;
  const std::uint64_t index = parse_index(p);
  if (p == token || *p != ':') {
    throw BadRow{fmt::format("expected INDEX:VALUE, found {}", quote(token, end))};
  }
  if (index < first_index_) {
    throw BadRow{"feature index 0 (file looks zero-based; try --zero-based)"};
  }
  if (index - first_index_ >= FeatureMap::kMaxIndex) {
    throw BadRow{fmt::format("feature index {} is above 2^40{}", quote(token, p),
                             options_.zero_based ? " - 1" : "")};
  }
  if (index - first_index_ >= id_end_) {
    throw BadRow{fmt::format("feature index {} is above --dim {}", index, options_.dim)};
  }
  const char* const text = ++p;
  double value = 0;
  if (!parse_number(p, end, value) || !ends_token(p, end)) {
    throw BadRow{fmt::format("value of feature {} is not a number: {}", index, quote(text, end))};
  }
  if (!std::isfinite(value)) {
    throw BadRow{fmt::format("value of feature {} is not finite", index)};
  }
  const std::uint64_t next_index = row.next_id + first_index_;
  if (index + 1 == next_index) throw BadRow{fmt::format("feature index {} twice", index)};
  if (index < next_index && !options_.allow_unsorted) {
    throw BadRow{fmt::format("feature index {} after {} (not ascending; try --allow-unsorted)",
                             index, next_index - 1)};
  }
  // There is room for all entries that the cutter counted, so the file has changed since.
  throw_changed(file_);
}

void LibsvmParser::parse_line(const char* p, const char* end, Entries& row, double& label) const {
  p = skip_space(p, end);
  const char* const token = p;
  if (!parse_number(p, end, label) || !ends_token(p, end)) {
    const std::string found = quote(token, end);
    const bool commas = found.find(',') != std::string::npos;
    throw BadRow{fmt::format("label is not a number: {}{}", found,
                             commas ? " (for csv data, use --format csv)" : "")};
  }
  if (!std::isfinite(label)) throw BadRow{"label is not finite"};
  p = skip_space(p, end);
  if (end - p >= 4 && std::memcmp(p, "qid:", 4) == 0) {
    while (!ends_token(p, end)) ++p;
  }
  p = read_entries(p, end, row);
  if (!at_row_end(p, end)) refuse(p, end, row);
  if (!row.sorted) sort_entries(row);
}

void LibsvmParser::sort_entries(Entries& row) const {
  std::vector<std::pair<std::uint64_t, double>> pairs(row.size);
  for (std::size_t i = 0; i < row.size; ++i) pairs[i] = {row.ids[i], row.values[i]};
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < row.size; ++i) {
    if (i > 0 && pairs[i].first == pairs[i - 1].first) {
      const std::uint64_t index = pairs[i].first + first_index_;
      throw BadRow{fmt::format("feature index {} twice", index)};
    }
    row.ids[i] = pairs[i].first;
    row.values[i] = pairs[i].second;
  }
}

// Drops explicit zeros and features that prediction does not know, so that later code need not
// handle them.
void LibsvmParser::append(Entries& row, double label, RowBlock& out) const {
  if (options_.normalize_l2) row.has_zeros |= normalize_l2(row.values, row.size);
  const std::size_t begin = out.starts.back();
  const std::uint64_t id_end = row.size > 0 ? row.ids[row.size - 1] + 1 : 0;
  std::size_t at = begin;
  if (!row.has_zeros && id_end <= features_->identity_end()) {  // nearly always true
    for (std::size_t i = 0; i < row.size; ++i) {
      out.slots[begin + i] = static_cast<std::uint32_t>(row.ids[i]);
    }
    at += row.size;
    out.slot_end = std::max(out.slot_end, id_end);
  } else {
    for (std::size_t i = 0; i < row.size; ++i) {
      if (row.values[i] == 0) continue;
      const std::uint32_t slot = features_->slot(row.ids[i]);
      if (slot == FeatureMap::kUnknown) continue;
      out.slots[at] = slot;
      out.values[at++] = row.values[i];
      out.slot_end = std::max(out.slot_end, std::uint64_t{slot} + 1);
    }
  }
  out.dimension = std::max(out.dimension, id_end);
  out.starts.push_back(at);
  out.labels.push_back(label);
}

std::shared_ptr<RowBlock> LibsvmParser::parse(const TextBlock& block) const {
  auto out = std::make_shared<RowBlock>();
  const std::size_t room = block.entries;
  out->slots.resize(room);
  out->values.resize(room);
  out->source_bytes = block.text.size();
  static PerThread<std::vector<std::uint64_t>> reused;  // fresh pages cost more than parsing
  std::vector<std::uint64_t>& ids = reused.here();
  if (ids.size() < room) ids.resize(room);
  std::uint64_t line = block.first_line;
  std::uint64_t id = block.first_row;
  const char* p = block.text.data();
  const char* const text_end = p + block.text.size();
  for (; p < text_end; ++line) {
    const char* const end = static_cast<const char*>(std::memchr(p, '\n', text_end - p));
    if (!is_blank_line(p, end)) {
      try {
        double label = 0;
        const std::size_t begin = out->starts.back();
        Entries row;
        row.first_index = first_index_;
        row.id_end = id_end_;
        row.allow_unsorted = options_.allow_unsorted;
        row.ids = ids.data();
        row.values = out->values.data() + begin;  // directly where the block stores them
        row.room = room - begin;
        parse_line(p, end, row, label);
        append(row, label, *out);
        out->ids.push_back(id);
        out->lines.push_back(line);
      } catch (const BadRow& bad) {
        if (!options_.skip_bad_rows) throw Error(fmt::format("{}:{}: {}", file_, line, bad.reason));
        ++out->bad_rows;
      }
      ++id;
    }
    p = end + 1;
  }
  out->slots.resize(out->starts.back());
  out->values.resize(out->starts.back());
  if (features_->share()) {  // most entries are for other ranks
    out->slots.shrink_to_fit();
    out->values.shrink_to_fit();
  }
  return out;
}

}  // namespace thresh
