#include "data/names/named_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "data/names/id_row.hpp"
#include "data/read/number.hpp"
#include "data/read/same_bytes.hpp"
#include "data/table/table.hpp"
#include "files/temp_file.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

std::unique_ptr<NamedParser> make_parser(const std::string& name, Format format,
                                         const ReadOptions& options) {
  if (format == Format::vw) return make_vw_parser(name, options);
  return make_table_parser(name, options, format, options.vocabulary->reading,
                           options.vocabulary->column_texts);
}

// The bytes of a temporary file.
class TempBytes : public ByteStream {
 public:
  explicit TempBytes(std::shared_ptr<const TempFile> file) : file_(std::move(file)) {}
  std::size_t read(char* out, std::size_t n) override {
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, file_->size() - at_));
    if (n > 0) file_->pread(out, n, at_);
    at_ += n;
    return n;
  }

 private:
  std::shared_ptr<const TempFile> file_;
  std::uint64_t at_ = 0;
};

std::shared_ptr<const TempFile> copied(ByteStream& bytes) {
  auto file = std::make_shared<TempFile>();
  std::vector<char> chunk(std::size_t{1} << 16);
  while (const std::size_t got = bytes.read(chunk.data(), chunk.size())) {
    file->append(chunk.data(), got);
  }
  file->flush();
  return file;
}

bool is_regular(const std::string& path) {
  std::error_code ignored;  // opening reports what is wrong
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

struct NamedStream::Text {
  std::string text;
  TextBlock block;  // views the text

  explicit Text(const TextBlock& from = {}) : block(from) {
    text.reserve(from.text.size() + kTextPadding);
    text = from.text;
    text.append(kTextPadding, '\n');
    block.text = {text.data(), from.text.size()};
  }
};

struct NamedStream::Resolved {
  NamedRows rows;
  std::vector<std::uint64_t> ids;  // by place of the name
  std::vector<double> labels;      // by row
  std::vector<bool> bad;           // by row; empty: none
};

NamedStream::NamedStream(const std::string& path, Format format, const ReadOptions& options,
                         std::shared_ptr<FeatureMap> features)
    : name_(options.name.empty() ? input_name(path) : options.name),
      options_(options),
      features_(std::move(features)),
      parser_(make_parser(name_, format, options)),
      cutter_(surveyed(path), name_, parser_->line_rule(), pace_of(options)) {}

// Opens the bytes, after the parser has seen all rows if it wants to. A pipe is copied for that.
std::unique_ptr<ByteStream> NamedStream::surveyed(const std::string& path) {
  std::unique_ptr<ByteStream> bytes = open_bytes(path, options_.stop);
  if (!parser_->surveys()) return bytes;
  std::shared_ptr<const TempFile> copy;
  if (!is_regular(path)) {
    copy = copied(*bytes);
    bytes = std::make_unique<TempBytes>(copy);
  }
  const auto seen = std::make_shared<BytesSeen>();
  BlockCutter cutter(noted_bytes(std::move(bytes), seen), name_, parser_->line_rule());
  bool first = true;
  const auto next = [&]() -> std::optional<std::unique_ptr<Text>> {
    check_stop(options_.stop, name_);
    TextBlock block;
    if (!cutter.next(block)) return std::nullopt;
    if (options_.on_read) options_.on_read(0);  // parsing counts the bytes
    auto text = std::make_unique<Text>(block);
    if (first) parser_->begin_survey(text->block);
    first = false;
    return text;
  };
  parallel_stream(
      cores(), next, [&](std::unique_ptr<Text> text) { return parser_->look(text->block); },
      [&](std::size_t, std::unique_ptr<BlockFacts> facts) { parser_->take(std::move(facts)); });
  parser_->end_survey();
  if (copy) return std::make_unique<TempBytes>(copy);
  return same_bytes(open_bytes(path, options_.stop), *seen, name_);
}

BlockPtr NamedStream::block(std::size_t) {
  if (ready_.empty()) read_more();
  if (ready_.empty()) return nullptr;
  BlockPtr next = std::move(ready_.back());
  ready_.pop_back();
  return next;
}

std::unique_ptr<NamedStream::Text> NamedStream::cut() {
  check_stop(options_.stop, name_);
  TextBlock block;
  if (!cutter_.next(block)) return nullptr;
  if (options_.on_read) options_.on_read(block.text.size());
  auto text = std::make_unique<Text>(block);
  if (!begun_) parser_->begin(text->block);
  begun_ = true;
  return text;
}

// If a pipe is read once, its rows wait for no more than one block.
void NamedStream::read_more() {
  const std::size_t wanted = options_.once ? 1 : 4 * cores();
  std::vector<std::unique_ptr<Text>> texts;
  while (texts.size() < wanted) {
    auto text = cut();
    if (!text) break;
    texts.push_back(std::move(text));
  }
  std::vector<Resolved> resolved(texts.size());
  const auto parse = [&](std::size_t i) { return parser_->parse(texts[i]->block); };
  parallel_in_order(texts.size(), parse,
                    [&](std::size_t i, NamedRows rows) { resolved[i] = resolve(std::move(rows)); });
  ready_.resize(texts.size());
  parallel_for(texts.size(), [&](std::size_t i) {
    ready_[texts.size() - 1 - i] = finish(resolved[i]);
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

std::shared_ptr<RowSource> open_named_rows(const std::string& path, Format format,
                                           const ReadOptions& options,
                                           std::shared_ptr<FeatureMap> features) {
  ReadOptions read = options;
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  Vocabulary& vocabulary = *read.vocabulary;
  const bool learns = !vocabulary.labels.settled();
  // New labels get their meaning at the end, so only known labels can be streamed.
  read.once = options.once && (!learns || read.labels_optional);
  auto stream = std::make_shared<NamedStream>(path, format, read, std::move(features));
  if (read.once) return stream;
  auto source = std::make_shared<NamedSource>(*stream, vocabulary, !options.once);
  if (!learns) return source;
  vocabulary.reading = stream->parser().reading();
  vocabulary.column_texts = stream->parser().column_texts();
  if (vocabulary.hash_bits() > 0) vocabulary.reading["hash_bits"] = vocabulary.hash_bits();
  vocabulary.note = stream->parser().note();
  if (stream->keys()) {
    if (stream->keys()->by_time()) stream->keys()->settle();
    vocabulary.row_keys = stream->keys();
  }
  vocabulary.label_guessed = stream->parser().label_guessed();
  return source;
}

}  // namespace thresh
