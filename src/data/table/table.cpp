// Parses tables. columns.hpp says what becomes of the cells.
//
// A survey of all rows decides what a column is, unless the user or a model does. If the table has
// no survey, its first block does.

#include "data/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "data/read/bad_row.hpp"
#include "data/read/utf8.hpp"
#include "data/table/cells.hpp"
#include "data/table/columns.hpp"
#include "data/table/text_survey.hpp"
#include "sparse/per_thread.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

struct TableFacts : BlockFacts {
  std::vector<ColumnFacts> columns;
  TextSurvey::Facts texts;
};

// How a table from before is read: by the header and delimiter of the record.
TableOptions as_recorded(TableOptions table, const Record& reading) {
  if (!reading.has("header")) return table;
  table.header = reading.at("header").flag();
  table.delimiter = reading.value("delimiter", std::string(1, '\0')).text().at(0);
  table.na = reading.value("na", Value::List()).texts();
  return table;
}

class TableParser : public NamedParser {
 public:
  TableParser(const std::string& file, const ReadOptions& options, Format format,
              const Record& reading, const ColumnTexts& texts) try
      : NamedParser(file, options),
        reading_(reading),
        texts_(texts),
        table_(as_recorded(options.table, reading)),
        delimiter_(table_.delimiter != 0   ? table_.delimiter
                   : format == Format::tsv ? '\t'
                                           : ','),
        cells_(table_.na) {
    if (known()) Columns(file, {}, false).restore(reading, texts, all_absent(), true);
  } catch (const std::exception&) {
    throw Error("the model is damaged: it does not record how its table was read");
  }

  LineRule line_rule() const override {
    return {LineRule::Kind::quoted, delimiter_, table_.header};
  }

  void begin(TextBlock& first) override {
    const bool surveyed = columns_.has_value();
    if (!surveyed) {
      begin_survey(first);
    } else {
      take_header(first);
    }
    if (!columns_ || surveyed) return;
    if (!known()) {
      take(look(first));
      end_survey();
    }
  }

  bool surveys() const override { return !known(); }

  void begin_survey(TextBlock& first) override {
    std::optional<Columns> columns = take_header(first);
    if (!columns) return;
    columns_ = std::move(columns);
    facts_.resize(columns_->size());
    if (!known()) {
      texts_survey_.emplace(columns_->text_columns(table_), options().text);
      return;
    }
    columns_->restore(reading_, texts_, table_, options().labels_optional);
    if (columns_->absent().empty() || !options().on_note) return;
    std::vector<std::string> names;
    for (const Column& column : columns_->absent()) names.push_back(column.name);
    options().on_note(fmt::format("{}: counted as missing in every row: {} {}", file(),
                                  names.size() == 1 ? "column" : "columns",
                                  fmt::join(names, ", ")));
  }

  // Ignores bad records, because parsing reports them.
  std::unique_ptr<BlockFacts> look(const TextBlock& block) const override {
    auto facts = std::make_unique<TableFacts>();
    if (!columns_) return facts;
    facts->columns.resize(columns_->size());
    Cells cells;
    std::string_view rest = block.text;
    std::string_view record;
    for (std::uint64_t line = 0; next_record(rest, line, record);) {
      try {
        cells.cut(record.data(), record.data() + record.size(), delimiter_);
      } catch (const BadRow&) {
        continue;
      }
      if (cells.size() != columns_->size()) continue;
      for (std::size_t i = 0; i < cells.size(); ++i) facts->columns[i].add(cells_.read(cells[i]));
      if (texts_survey_) texts_survey_->look(cells, facts->texts);
    }
    return facts;
  }

  void take(std::unique_ptr<BlockFacts> facts) override {
    const auto& all = static_cast<const TableFacts&>(*facts);
    if (texts_survey_) texts_survey_->take(all.texts);
    const std::vector<ColumnFacts>& found = all.columns;
    const std::size_t held =
        std::clamp<std::size_t>((std::size_t{1} << 22) / (found.size() + 1), 256, 8192);
    for (std::size_t i = 0; i < found.size(); ++i) facts_[i].merge(found[i], held);
  }

  void end_survey() override {
    if (columns_) columns_->decide(table_, facts_);
    facts_.clear();
    if (texts_survey_) texts_survey_->finish(file(), *columns_);
    texts_survey_.reset();
  }

  Record reading() const override {
    Record reading;
    reading["header"] = table_.header;
    if (table_.delimiter != 0) reading["delimiter"] = std::string(1, table_.delimiter);
    if (columns_) columns_->record(reading);
    return reading;
  }

  std::string note() const override { return columns_ && !known() ? columns_->note() : ""; }
  ColumnTexts column_texts() const override { return columns_ ? columns_->texts() : ColumnTexts{}; }
  std::string label_guessed() const override {
    return columns_ && !known() ? columns_->label_guessed() : "";
  }

 protected:
  std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                             std::string& name) const override {
    static PerThread<Cells> reused;
    Cells& cells = reused.here();
    cells.cut(begin, end, delimiter_);
    const Columns& columns = *columns_;
    if (cells.size() != columns.size()) {
      throw BadRow{fmt::format("{} cells in a table of {} columns", cells.size(), columns.size())};
    }
    std::string_view label;
    std::optional<std::string_view> id;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns[i];
      switch (column.role) {
        case Column::Role::ignored:
          break;
        case Column::Role::id:
          id = cells[i];
          break;
        case Column::Role::label:
          label = cells[i];
          if (label.empty() && !options().labels_optional) {
            throw BadRow{fmt::format(
                "no label in column {} (--on-bad-row skip leaves such rows out)", column.name)};
          }
          break;
        case Column::Role::weight:
          if (!options().labels_optional) out.set_weight(weight_in(column, cells[i]));
          break;
        case Column::Role::group:
          out.group_places.push_back(out.groups.place(cells[i]));
          break;
        case Column::Role::time:
          out.times.push_back(time_in(column, cells[i]));
          break;
        default:
          columns.encode(column, cells_.read(cells[i]), out, name);
      }
    }
    for (const Column& column : columns.absent()) columns.encode(column, {}, out, name);
    if (id) out.row_names.emplace_back(*id);
    return label;
  }

 private:
  bool known() const { return reading_.has("header"); }

  // To check a record: no column has to exist.
  static TableOptions all_absent() {
    TableOptions options;
    options.needed.emplace();
    return options;
  }

  static double weight_in(const Column& column, std::string_view cell) {
    double weight = 0;
    if (!is_number(cell, weight) || weight < 0) {
      throw BadRow{fmt::format("weight {} in column {} is not a finite number >= 0", shown(cell),
                               column.name)};
    }
    return weight;
  }

  static double time_in(const Column& column, std::string_view cell) {
    if (const auto date = parse_date(cell)) return static_cast<double>(date->days());
    double number = 0;
    if (is_number(cell, number)) return number;
    throw BadRow{
        fmt::format("time {} in column {} is neither a date such as 2024-03-31 nor a number",
                    shown(cell), column.name)};
  }

  // Finds the first record of `rest` that is not blank. Moves `rest` and `line` after it.
  bool next_record(std::string_view& rest, std::uint64_t& line, std::string_view& record) const {
    while (!rest.empty()) {
      std::uint64_t lines = 1;
      const char* const begin = rest.data();
      const char* const end = find_record_end(begin, begin + rest.size(), line_rule(), lines);
      const char* const trimmed = end > begin && end[-1] == '\r' ? end - 1 : end;
      record = {begin, static_cast<std::size_t>(trimmed - begin)};
      rest.remove_prefix(static_cast<std::size_t>(end + 1 - begin));
      line += lines;
      if (!is_blank(begin, trimmed, line_rule())) return true;
    }
    return false;
  }

  // Names the columns by the first line, and removes that if it is a header.
  std::optional<Columns> take_header(TextBlock& first) const {
    if (first.text.starts_with("\xef\xbb\xbf")) first.text.remove_prefix(3);  // byte order mark
    if (first.text.starts_with("\xff\xfe") || first.text.starts_with("\xfe\xff")) {
      throw Error(file() + ": the file is UTF-16; iconv -f utf-16 -t utf-8 converts it");
    }
    std::string_view rest = first.text;
    std::string_view record;
    std::uint64_t line = first.first_line;
    if (!next_record(rest, line, record)) return std::nullopt;
    for (std::size_t at = record.find('\r'); at != std::string_view::npos;
         at = record.find('\r', at + 1)) {
      if (at + 1 < record.size() && record[at + 1] == '\n') continue;  // in quotes
      throw Error(file() + ":1: lines end with a carriage return alone; tr '\\r' '\\n' mends them");
    }
    Cells cells;
    try {
      cells.cut(record.data(), record.data() + record.size(), delimiter_);
    } catch (const BadRow& bad) {
      throw Error(fmt::format("{}:{}: {}", file(), first.first_line, bad.reason));
    }
    if (table_.header) {
      first.text = rest;
      first.first_line = line;
    }
    return Columns(file(), names_in(cells), table_.header && cells[0].empty());
  }

  std::vector<std::string> names_in(const Cells& first) const {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> taken;
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::string name = std::to_string(i + 1);
      if (table_.header && !first[i].empty()) name = first[i];
      if (!is_utf8(name)) {
        throw Error(fmt::format(
            "{}:1: the name of column {} is not UTF-8 (iconv -f latin1 -t utf-8 converts a file)",
            file(), i + 1));
      }
      if (!taken.insert(name).second) {
        throw Error(fmt::format(
            "{}:1: two columns are called {} (if the first line holds data, use --no-header)",
            file(), shown(name)));
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  Record reading_;  // of a file read earlier; empty if there is none
  ColumnTexts texts_;
  TableOptions table_;
  char delimiter_;
  CellReader cells_;
  std::optional<Columns> columns_;  // once the first line is known
  std::vector<ColumnFacts> facts_;  // of the survey
  std::optional<TextSurvey> texts_survey_;
};

}  // namespace

std::unique_ptr<NamedParser> make_table_parser(const std::string& file, const ReadOptions& options,
                                               Format format, const Record& reading,
                                               const ColumnTexts& texts) {
  return std::make_unique<TableParser>(file, options, format, reading, texts);
}

}  // namespace thresh
