#include "model/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/names/id_row.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/number.hpp"
#include "data/table/table.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr const char* kRow = "row";  // the file name that parsers report

// Parsers read beyond the end of a text and need a line feed after its last line.
class PaddedLine {
 public:
  explicit PaddedLine(std::string line) : memory_(std::move(line)), size_(memory_.size() + 1) {
    memory_.append(1 + kTextPadding, '\n');
  }
  TextBlock block(std::uint64_t entries = 0) const {
    return {{memory_.data(), size_}, 1, 0, entries};
  }

 private:
  std::string memory_;
  std::size_t size_;
};

void refuse_lines(std::string_view line) {
  if (line.find('\n') == std::string_view::npos) return;
  throw UsageError("predict() takes one row at a time, but the text contains a line feed");
}

// Rethrows a parser's error "row:1: reason" without the place.
[[noreturn]] void throw_without_place(const Error& error) {
  const std::string_view what = error.what();
  if (!what.starts_with(kRow)) throw error;
  throw Error(fmt::format("row: {}", what.substr(what.find(": ") + 2)));
}

bool is_table(Format format) {
  return format == Format::csv || format == Format::tsv;
}

// A cell of a table's header that is read back as this name.
std::string quoted(const std::string& name) {
  std::string cell = "\"";
  for (const char c : name) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

}  // namespace

LineReader::LineReader(const Model& model, std::shared_ptr<FeatureMap> features)
    : options_(read_options_for(model)), features_(std::move(features)), text_(model.text) {
  options_.labels_optional = true;
  if (model.format == Format::libsvm) {
    numbers_ = std::make_unique<LibsvmParser>(kRow, options_, features_);
  } else if (model.format == Format::vw) {
    named_ = make_vw_parser(kRow, options_);
  } else if (is_table(model.format)) {
    try {
      know_columns();
    } catch (const RecordError&) {
      throw Error("the model is damaged: it does not record how its table was read");
    }
  }
}

// The model stores columns of numbers, categories, dates and texts separately. Their common order
// is known only if there is one kind, or if their names are their numbers.
void LineReader::know_columns() {
  Record reading = options_.vocabulary->reading;
  std::vector<std::string> columns = reading.at("numbers").texts();
  const std::vector<std::string> categories = reading.at("categories").texts();
  const bool header = reading.at("header").flag();
  std::vector<std::string> dates;
  if (reading.has("dates")) {
    for (const auto& [name, ignored] : reading.at("dates").record()) dates.push_back(name);
  }
  std::vector<std::string> texts;
  for (const auto& [name, ignored] : options_.vocabulary->column_texts) texts.push_back(name);
  int kinds = 0;
  for (const bool empty : {columns.empty(), categories.empty(), dates.empty(), texts.empty()}) {
    kinds += empty ? 0 : 1;
  }
  const bool known = !header || kinds <= 1;
  columns.insert(columns.end(), categories.begin(), categories.end());
  columns.insert(columns.end(), dates.begin(), dates.end());
  columns.insert(columns.end(), texts.begin(), texts.end());
  if (!header) {
    std::sort(columns.begin(), columns.end(), [](const std::string& a, const std::string& b) {
      return std::pair(a.size(), a) < std::pair(b.size(), b);  // in numeric order
    });
  }
  reading["header"] = true;
  if (header) reading_ = reading;
  auto parser = make_table_parser(kRow, options_, options_.format, reading,
                                  options_.vocabulary->column_texts);
  rule_ = parser->line_rule();
  if (!known) return;
  std::string names;
  for (const std::string& column : columns) {
    names += (names.empty() ? "" : std::string(1, rule_.delimiter)) + quoted(column);
  }
  const PaddedLine line(std::move(names));
  TextBlock block = line.block();
  parser->begin(block);
  named_ = std::move(parser);
}

std::shared_ptr<const RowBlock> LineReader::read(std::string_view line) const {
  if (text_) return read_text(line);
  try {
    return numbers_ ? read_numbers(line) : read_named(line);
  } catch (const Error& error) {
    throw_without_place(error);
  }
}

std::shared_ptr<const RowBlock> LineReader::read_numbers(std::string_view line) const {
  refuse_lines(line);
  const PaddedLine labelled("0 " + std::string(line));  // the parser needs a label
  const auto entries = static_cast<std::uint64_t>(std::count(line.begin(), line.end(), ':'));
  return numbers_->parse(labelled.block(entries));
}

// Parses the column names and a row, or a row alone.
NamedRows LineReader::parse_table(std::string_view line) const {
  const PaddedLine text{std::string(line)};
  TextBlock block = text.block();
  const char* const end = block.text.data() + block.text.size();
  std::uint64_t lines = 0;
  if (find_record_end(block.text.data(), end, rule_, lines) + 1 == end) {
    if (named_) return named_->parse(block);
    throw UsageError(
        "the model does not record the order of the columns; give their names, a line feed, and "
        "then the row");
  }
  if (reading_.empty()) refuse_lines(line);
  const auto parser = make_table_parser(kRow, options_, options_.format, reading_,
                                        options_.vocabulary->column_texts);
  parser->begin(block);
  return parser->parse(block);
}

std::shared_ptr<const RowBlock> LineReader::read_named(std::string_view line) const {
  const bool table = is_table(options_.format);
  if (!table) refuse_lines(line);
  NamedRows rows;
  if (table) {
    rows = parse_table(line);
  } else {
    rows = named_->parse(PaddedLine{std::string(line)}.block());
  }
  if (rows.rows() != 1) {
    throw UsageError(fmt::format("predict() takes one row at a time, not {}", rows.rows()));
  }
  std::vector<IdEntry> row;
  for (std::size_t k = 0; k < rows.places.size(); ++k) {
    const std::string_view name = rows.names.name(rows.places[k]);
    const std::uint64_t id = options_.vocabulary->id(name);  // it is frozen: adds nothing
    row.push_back({id == Vocabulary::kUnknown ? unknown_id(name) : id, rows.values[k]});
  }
  auto block = std::make_shared<RowBlock>();
  append_row(row, options_.normalize_l2, *features_, *block);
  block->labels.push_back(0);
  block->ids.push_back(0);
  return block;
}

std::shared_ptr<const RowBlock> LineReader::read_text(std::string_view text) const {
  TextVectorizer::Scratch scratch;
  std::vector<TextVectorizer::Entry> entries;
  text_->weigh(text, scratch, entries);
  auto block = std::make_shared<RowBlock>();
  for (const auto& [feature, value] : entries) {
    const std::uint32_t slot = features_->slot(feature);
    if (slot == FeatureMap::kUnknown) continue;
    block->slots.push_back(slot);
    block->values.push_back(value);
  }
  block->starts.push_back(block->slots.size());
  block->labels.push_back(0);
  block->ids.push_back(0);
  return block;
}

}  // namespace thresh
