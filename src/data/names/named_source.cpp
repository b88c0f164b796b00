#include "data/names/named_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/names/id_row.hpp"
#include "data/names/text_blocks.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
struct NamedStream::Resolved {
  NamedRows rows;
  std::vector<std::uint64_t> ids;  // by place of the name
  std::vector<double> labels;      // by row
  std::vector<bool> bad;           // by row; empty: none
};

NamedStream::NamedStream(std::unique_ptr<NamedBlocks> blocks, std::string name,
                         const ReadOptions& options, std::shared_ptr<FeatureMap> features)
    : name_(std::move(name)),
      options_(options),
      features_(std::move(features)),
      blocks_(std::move(blocks)) {}

BlockPtr NamedStream::block(std::size_t) {
  if (ready_.empty()) read_more();
  if (ready_.empty()) return nullptr;
  BlockPtr next = std::move(ready_.back());
  ready_.pop_back();
  return next;
}

// If a pipe is read once, its rows wait for no more than one block.
void NamedStream::read_more() {
  const std::size_t wanted = options_.once && blocks_->waits() ? 1 : 4 * cores();
  std::vector<std::function<NamedRows()>> parsers;
  while (parsers.size() < wanted) {
    auto parse = blocks_->next();
    if (!parse) break;
    parsers.push_back(std::move(parse));
  }
  std::vector<Resolved> resolved(parsers.size());
  const auto parse = [&](std::size_t i) { return parsers[i](); };
  parallel_in_order(parsers.size(), parse,
                    [&](std::size_t i, NamedRows rows) { resolved[i] = resolve(std::move(rows)); });
  ready_.resize(parsers.size());
  parallel_for(parsers.size(), [&](std::size_t i) {
    ready_[parsers.size() - 1 - i] = finish(resolved[i]);
    resolved[i] = {};
  });
}

double NamedStream::label(const NamedRows& rows, std::uint32_t place, std::string& why) {
  if (options_.labels_optional) return 0;
  try {
    return options_.vocabulary->labels.code(rows.labels.name(place));
  } catch (const Error& error) {
    why = error.what();
    return 0;
  }
}

void NamedStream::take_keys(const NamedRows& rows) {
  if ((rows.group_places.empty() && rows.times.empty()) || rows.rows() == 0) return;
  if (!keys_) keys_ = std::make_shared<RowKeys>();
  const std::size_t end = rows.ids.back() + 1;
  if (!rows.times.empty()) {
    keys_->times.resize(end);
    for (std::size_t i = 0; i < rows.rows(); ++i) keys_->times[rows.ids[i]] = rows.times[i];
    return;
  }
  keys_->groups.resize(end);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::string_view name = rows.groups.name(rows.group_places[i]);
    auto found = groups_.find(name);
    if (found == groups_.end()) {
      found = groups_.emplace(name, static_cast<std::uint32_t>(groups_.size())).first;
    }
    keys_->groups[rows.ids[i]] = found->second;
  }
}

NamedStream::Resolved NamedStream::resolve(NamedRows rows) {
  Resolved out;
  take_keys(rows);
  out.ids.resize(rows.names.size());
  for (std::uint32_t place = 0; place < rows.names.size(); ++place) {
    const std::string_view name = rows.names.name(place);
    const std::uint64_t id = options_.vocabulary->id(name);
    out.ids[place] = id == Vocabulary::kUnknown ? unknown_id(name) : id;
  }
  std::vector<double> labels(rows.labels.size());
  std::vector<std::string> refused(rows.labels.size());  // why a label is invalid
  for (std::uint32_t place = 0; place < rows.labels.size(); ++place) {
    labels[place] = label(rows, place, refused[place]);
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::uint32_t place = rows.label_places[i];
    out.labels.push_back(labels[place]);
    if (refused[place].empty()) continue;
    if (!options_.skip_bad_rows) {
      throw Error(fmt::format("{}:{}: {}", name_, rows.lines[i], refused[place]));
    }
    out.bad.resize(rows.rows());
    out.bad[i] = true;
    ++rows.bad_rows;
  }
  out.rows = std::move(rows);
  return out;
}

BlockPtr NamedStream::finish(const Resolved& resolved) const {
  const NamedRows& rows = resolved.rows;
  auto out = std::make_shared<RowBlock>();
  out->source_bytes = rows.source_bytes;
  out->bad_rows = rows.bad_rows;
  out->dimension = options_.vocabulary->hash_bits() > 0 ? options_.vocabulary->id_end() : 0;
  std::vector<IdEntry> row;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!resolved.bad.empty() && resolved.bad[i]) continue;
    row.clear();
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      row.push_back({resolved.ids[rows.places[k]], rows.values[k]});
    }
    append_row(row, options_.normalize_l2, *features_, *out);
    out->labels.push_back(resolved.labels[i]);
    if (!rows.weights.empty()) out->weights.push_back(rows.weights[i]);
    out->ids.push_back(rows.ids[i]);
    out->lines.push_back(rows.lines[i]);
    if (!rows.row_names.empty()) out->names.push_back(rows.row_names[i]);
  }
  return out;
}

NamedSource::NamedSource(RowSource& stream, Vocabulary& vocabulary, bool relative)
    : translates_(!vocabulary.labels.settled()),
      relative_(relative),
      spool_(stream),
      survey_(*spool_.survey()) {
  check_weights();
  if (!translates_) {
    survey_.label_names = vocabulary.labels.words();
    return;
  }
  try {
    vocabulary.labels.settle(survey_);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name(), error.what()));
  }
  labels_ = vocabulary.labels;
}

void NamedSource::check_weights() const {
  const double mean = spool_.mean_weight();
  if (!std::isnormal(mean)) {
    throw Error(fmt::format("{}: {}", name(),
                            mean == 0 ? "no row has a weight above zero"
                                      : "the weights are too far from 1 to be compared"));
  }
}

BlockPtr NamedSource::block(std::size_t k) {
  const std::shared_ptr<RowBlock> block = spool_.read(k);
  if (!block) return nullptr;
  if (translates_) {
    for (double& label : block->labels) label = labels_.number(label);
  }
  if (!survey_.weighted || !relative_) return block;
  block->weights.resize(block->rows(), 1.0);  // a block may have none while others have
  for (double& weight : block->weights) weight /= spool_.mean_weight();
  return block;
}

std::shared_ptr<RowSource> named_rows(std::unique_ptr<NamedBlocks> blocks, const std::string& name,
                                      const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  Vocabulary& vocabulary = *options.vocabulary;
  const bool learns = !vocabulary.labels.settled();
  ReadOptions read = options;
  // New labels get their meaning at the end, so only known labels can be streamed.
  read.once = options.once && (!learns || read.labels_optional);
  auto stream = std::make_shared<NamedStream>(std::move(blocks), name, read, std::move(features));
  if (read.once) return stream;
  auto source = std::make_shared<NamedSource>(*stream, vocabulary, !options.once);
  if (!learns) return source;
  stream->blocks().describe(vocabulary);
  if (vocabulary.hash_bits() > 0) vocabulary.reading["hash_bits"] = vocabulary.hash_bits();
  if (stream->keys()) {
    if (stream->keys()->by_time()) stream->keys()->settle();
    vocabulary.row_keys = stream->keys();
  }
  return source;
}

std::shared_ptr<RowSource> open_named_rows(const std::string& path, Format format,
                                           const ReadOptions& options,
                                           std::shared_ptr<FeatureMap> features) {
  ReadOptions read = options;
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  read.once = options.once && (read.vocabulary->labels.settled() || read.labels_optional);
  const std::string name = options.name.empty() ? input_name(path) : options.name;
  auto blocks = text_blocks(path, name, format, read);
  read.once = options.once;
  return named_rows(std::move(blocks), name, read, std::move(features));
}

}  // namespace thresh
