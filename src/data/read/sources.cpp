#include "data/read/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

// The codes of words are NaNs, see label_names.hpp.
bool same_label(double a, double b) {
  return a == b || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The arrays of a block, in the order in which they are spooled.
template <class Block, class Visit>
void for_each_array(Block& block, const Visit& visit) {
  visit(block.starts);
  visit(block.slots);
  visit(block.values);
  visit(block.labels);
  visit(block.weights);
  visit(block.ids);
  visit(block.lines);
}

std::uint64_t hash_on(std::uint64_t before, const void* data, std::size_t bytes) {
  return XXH3_64bits_withSeed(data, bytes, before);
}

}  // namespace

void Survey::count_label(double label, std::uint64_t rows_with_it) {
  if (more_labels) return;
  for (LabelCount& known : labels) {
    if (same_label(known.label, label)) {
      known.rows += rows_with_it;
      return;
    }
  }
  if (labels.size() == kMaxLabels) {
    more_labels = true;
  } else {
    labels.push_back({label, rows_with_it});
  }
}

void Survey::merge_labels(const Survey& later) {
  dimension = std::max(dimension, later.dimension);
  for (const LabelCount& counted : later.labels) {
    count_label(counted.label, counted.rows);
  }
  more_labels |= later.more_labels;
}

void count_block(const RowBlock& block, Survey& survey) {
  survey.dimension = std::max(survey.dimension, block.dimension);
  survey.bad_rows += block.bad_rows;
  for (const double label : block.labels) survey.count_label(label);
}

void MeanWeight::add(const RowBlock& block) {
  weighted |= !block.weights.empty();
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const double weight = block.row(i).weight;
    sum += weight;
    counting_rows += weight > 0 ? 1 : 0;
  }
}

StreamSource::StreamSource(const std::string& path, const ReadOptions& options,
                           std::shared_ptr<FeatureMap> features)
    : name_(input_name(path)),
      cutter_(open_bytes(path, options.stop), name_, {}, pace_of(options)),
      parser_(name_, options, std::move(features)),
      options_(options) {}

BlockPtr StreamSource::block(std::size_t) {
  std::optional<Text> text = cut();
  return text ? parse(std::move(*text)) : nullptr;
}

std::optional<StreamSource::Text> StreamSource::cut() {
  check_stop(options_.stop, name_);
  Text text;
  if (!cutter_.next(text.block)) return std::nullopt;
  if (options_.on_read) options_.on_read(text.block.text.size());
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      text.memory = std::move(free_.back());
      free_.pop_back();
    }
  }
  cutter_.swap_memory(text.memory);
  return text;
}

BlockPtr StreamSource::parse(Text text) {
  BlockPtr block = parser_.parse(text.block);
  // Memory that was enlarged for a long row is not reused.
  if (text.memory.size() <= 2 * kBlockBytes) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(text.memory));
  }
  return block;
}

void StreamSource::for_each_block(const std::function<void(const BlockPtr&)>& take) {
  parallel_stream(
      cores(), [&] { return cut(); }, [&](Text text) { return parse(std::move(text)); },
      [&](std::size_t, const BlockPtr& block) { take(block); });
}

SpooledSource::SpooledSource(RowSource& stream) : name_(stream.name()) {
  stream.for_each_block([this](const BlockPtr& block) { append(*block); });
  file_.flush();
  survey_.blocks = offsets_.size();
}

void SpooledSource::append(const RowBlock& block) {
  offsets_.push_back(file_.size());
  std::uint64_t hash = 0;
  const auto put = [&](const void* data, std::size_t bytes) {
    hash = hash_on(hash, data, bytes);
    file_.append(data, bytes);
  };
  const Head head{block.rows(),       block.slots.size(), block.slot_end,      block.dimension,
                  block.source_bytes, block.bad_rows,     block.weights.size()};
  put(&head, sizeof head);
  for_each_array(
      block, [&](const auto& array) { put(array.data(), array.size() * sizeof array.front()); });
  hashes_.push_back(hash);
  weights_.add(block);
  survey_.weighted = weights_.weighted;
  survey_.rows += block.rows();
  survey_.bytes += block.source_bytes;
  count_block(block, survey_);
}

void throw_damaged_spool(const std::string& name) {
  throw Error(fmt::format("{}: the temporary file with its rows is damaged", name));
}

std::shared_ptr<RowBlock> SpooledSource::read(std::size_t k) const {
  if (k >= offsets_.size()) return nullptr;
  Head head{};
  std::uint64_t at = offsets_[k];
  const std::uint64_t end = k + 1 < offsets_.size() ? offsets_[k + 1] : file_.size();
  std::uint64_t hash = 0;
  const auto get = [&](void* data, std::size_t bytes) {
    file_.pread(data, bytes, at);
    hash = hash_on(hash, data, bytes);
    at += bytes;
  };
  get(&head, sizeof head);
  // A damaged file must not ask for more memory than it has bytes.
  const std::uint64_t most = end - at;
  if (std::max({head.rows, head.entries, head.weights}) >= most) throw_damaged_spool(name_);
  auto block = std::make_shared<RowBlock>();
  block->starts.resize(head.rows + 1);
  block->slots.resize(head.entries);
  block->values.resize(head.entries);
  block->labels.resize(head.rows);
  block->weights.resize(head.weights);
  block->ids.resize(head.rows);
  block->lines.resize(head.rows);
  for_each_array(*block, [&](auto& array) {
    const std::size_t bytes = array.size() * sizeof array.front();
    if (bytes > end - at) throw_damaged_spool(name_);
    get(array.data(), bytes);
  });
  if (hash != hashes_[k]) throw_damaged_spool(name_);
  block->slot_end = head.slot_end;
  block->dimension = head.dimension;
  block->source_bytes = head.source_bytes;
  block->bad_rows = head.bad_rows;
  return block;
}

std::shared_ptr<RowSource> retained(std::shared_ptr<RowSource> rows, std::uint64_t memory) {
  return std::make_shared<RetainingSource>(std::move(rows), memory);
}

RetainingSource::RetainingSource(std::shared_ptr<RowSource> inner, std::uint64_t limit)
    : inner_(std::move(inner)), room_(limit), kept_(inner_->survey()->blocks) {}

std::uint64_t memory_of(const RowBlock& block) {
  return 12 * block.slots.capacity() + 32 * block.labels.capacity();
}

BlockPtr RetainingSource::block(std::size_t k) {
  if (k >= kept_.size()) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (kept_[k]) return kept_[k];
  }
  BlockPtr block = inner_->block(k);
  const std::uint64_t bytes = memory_of(*block);
  const std::lock_guard lock(mutex_);
  if (!kept_[k] && bytes <= room_) {
    room_ -= bytes;
    kept_[k] = block;
  }
  return block;
}

std::shared_ptr<RowSource> held_in_memory(std::shared_ptr<RowSource> source, std::uint64_t limit) {
  if (!source || source->survey() == nullptr || source->rereads_fast()) return source;
  return std::make_shared<RetainingSource>(std::move(source), limit);
}

std::shared_ptr<FeatureMap> make_feature_map(std::uint64_t dim) {
  return std::make_shared<FeatureMap>(dim);
}

void check_read_options(const ReadOptions& options, Format format) {
  const TableOptions& table = options.table;
  const std::pair<const char*, bool> of_table[] = {
      {"--label", !table.label.empty()},
      {"--categorical", !table.categorical.empty()},
      {"--numeric", !table.numeric.empty()},
      {"--ignore", !table.ignore.empty()},
      {"--date", !table.dates.empty()},
      {"--text", !table.texts.empty()},
      {"--id", !table.id.empty()},
      {"--weight", !table.weight.empty()},
      {"--group", !table.group.empty()},
      {"--time", !table.time.empty()},
      {"--missing", table.missing != TableOptions::Missing::mean},
      {"--na", !table.na.empty()},
      {"--no-header", !table.header},
      {"--delimiter", table.delimiter != 0}};
  for (const auto& [option, given] : of_table) {
    if (given && format != Format::csv && format != Format::tsv) {
      throw UsageError(fmt::format("{} applies only to csv and tsv", option));
    }
  }
  if (format == Format::libsvm) {
    if (options.hash_bits == 0) return;
    throw UsageError("--hash-bits applies only to formats with feature names");
  }
  if (options.zero_based || options.allow_unsorted || options.dim > 0) {
    throw UsageError("--zero-based, --allow-unsorted and --dim apply only to libsvm text");
  }
  if (format == Format::text && options.normalize_l2) {
    throw UsageError("--normalize does not apply to texts; use --norm");
  }
}

}  // namespace thresh
