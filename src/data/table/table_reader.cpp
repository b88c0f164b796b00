#include "data/table/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/read/bad_row.hpp"
#include "data/read/utf8.hpp"
#include "data/table/cells.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// How a table from before is read: by the header and delimiter of the record.
TableOptions as_recorded(TableOptions table, const Record& reading) {
  if (!reading.has("header")) return table;
  table.header = reading.at("header").flag();
  table.delimiter = reading.value("delimiter", std::string(1, '\0')).text().at(0);
  table.na = reading.value("na", Value::List()).texts();
  return table;
}

// To check a record: no column has to exist.
TableOptions all_absent() {
  TableOptions options;
  options.needed.emplace();
  return options;
}

double weight_in(const Column& column, std::string_view cell) {
  double weight = 0;
  if (!is_number(cell, weight) || weight < 0) {
    throw BadRow{fmt::format("weight {} in column {} is not a finite number >= 0", shown(cell),
                             column.name)};
  }
  return weight;
}

double time_in(const Column& column, std::string_view cell) {
  if (const auto date = parse_date(cell)) return static_cast<double>(date->days());
  double number = 0;
  if (is_number(cell, number)) return number;
  throw BadRow{fmt::format("time {} in column {} is neither a date such as 2024-03-31 nor a number",
                           shown(cell), column.name)};
}

}  // namespace

TableReader::TableReader(std::string file, const ReadOptions& options, const Record& reading,
                         const ColumnTexts& texts) try
    : file_(std::move(file)),
      options_(options),
      reading_(reading),
      texts_(texts),
      table_(as_recorded(options.table, reading)),
      cells_(table_.na) {
  if (known()) Columns(file_, {}, false).restore(reading, texts, all_absent(), true);
} catch (const std::exception&) {
  throw Error("the model is damaged: it does not record how its table was read");
}

void TableReader::begin(std::vector<std::string> names, bool unnamed_first) {
  columns_.emplace(file_, std::move(names), unnamed_first);
  facts_.resize(columns_->size());
  if (!known()) {
    texts_survey_.emplace(columns_->text_columns(table_), options_.text);
    return;
  }
  columns_->restore(reading_, texts_, table_, options_.labels_optional);
  if (columns_->absent().empty() || !options_.on_note) return;
  std::vector<std::string> absent;
  for (const Column& column : columns_->absent()) absent.push_back(column.name);
  options_.on_note(fmt::format("{}: counted as missing in every row: {} {}", file_,
                               absent.size() == 1 ? "column" : "columns", fmt::join(absent, ", ")));
}

std::unique_ptr<TableFacts> TableReader::no_facts() const {
  auto facts = std::make_unique<TableFacts>();
  if (columns_) facts->columns.resize(columns_->size());
  return facts;
}

void TableReader::look(RowCells& row, TableFacts& facts) const {
  for (std::size_t i = 0; i < row.size(); ++i) facts.columns[i].add(row.cell(i));
  if (texts_survey_) texts_survey_->look(row, facts.texts);
}

void TableReader::take(const TableFacts& facts) {
  if (texts_survey_) texts_survey_->take(facts.texts);
  const std::vector<ColumnFacts>& found = facts.columns;
  const std::size_t held =
      std::clamp<std::size_t>((std::size_t{1} << 22) / (found.size() + 1), 256, 8192);
  for (std::size_t i = 0; i < found.size(); ++i) facts_[i].merge(found[i], held);
}

void TableReader::end_survey() {
  if (columns_) columns_->decide(table_, facts_);
  facts_.clear();
  if (texts_survey_) texts_survey_->finish(file_, *columns_);
  texts_survey_.reset();
}

Record TableReader::reading() const {
  Record reading;
  reading["header"] = table_.header;
  if (table_.delimiter != 0) reading["delimiter"] = std::string(1, table_.delimiter);
  if (columns_) columns_->record(reading);
  return reading;
}

std::string_view TableReader::add(RowCells& row, NamedRows& out, std::string& scratch) const {
  const Columns& columns = *columns_;
  if (row.size() != columns.size()) {
    throw BadRow{fmt::format("{} cells in a table of {} columns", row.size(), columns.size())};
  }
  std::string_view label;
  std::optional<std::string_view> id;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.role == Column::Role::id) {
      id = row.text(i);
    } else if (column.role == Column::Role::label) {
      label = row.text(i);
      if (label.empty() && !options_.labels_optional) {
        throw BadRow{fmt::format("no label in column {} (--on-bad-row skip leaves such rows out)",
                                 column.name)};
      }
    } else {
      add_cell(column, row, i, out, scratch);
    }
  }
  for (const Column& column : columns.absent()) columns.encode(column, {}, out, scratch);
  if (id) out.row_names.emplace_back(*id);
  return label;
}

void TableReader::add_cell(const Column& column, RowCells& row, std::size_t i, NamedRows& out,
                           std::string& scratch) const {
  switch (column.role) {
    case Column::Role::ignored:
      return;
    case Column::Role::weight:
      if (!options_.labels_optional) out.set_weight(weight_in(column, row.text(i)));
      return;
    case Column::Role::group:
      out.group_places.push_back(out.groups.place(row.text(i)));
      return;
    case Column::Role::time:
      out.times.push_back(time_in(column, row.text(i)));
      return;
    case Column::Role::number:
      return columns_->encode(column, row.cell(i), out, scratch);
    default:  // these ask for the text of numbers, too
      columns_->encode(column, cells_.read(row.text(i)), out, scratch);
  }
}

std::vector<std::string> column_names(const std::vector<std::string_view>& given,
                                      const std::string& where, const std::string& hint) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> taken;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::string name = given[i].empty() ? std::to_string(i + 1) : std::string(given[i]);
    if (!is_utf8(name)) {
      throw Error(fmt::format(
          "{}: the name of column {} is not UTF-8 (iconv -f latin1 -t utf-8 converts a file)",
          where, i + 1));
    }
    if (!taken.insert(name).second) {
      throw Error(fmt::format("{}: two columns are called {}{}", where, shown(name), hint));
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace thresh
