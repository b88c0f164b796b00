// Parses tables: csv and tsv. A column of numbers is one feature, named like the column. Any other
// is categorical: each value is a feature COLUMN=VALUE. An empty cell is missing: no feature.
//
// The first block of rows (at most kBlockRows) decides what a column is, unless the user or a model
// does. A word that appears later in a column of numbers is an error.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "data/read/bad_row.hpp"
#include "data/read/cells.hpp"
#include "data/read/named_rows.hpp"
#include "data/read/utf8.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// The usual ways to write a missing number.
bool stands_for_nothing(std::string_view cell) {
  for (const char* word : {"", "NA", "N/A", "NaN", "nan", "null", "?"}) {
    if (cell == word) return true;
  }
  return false;
}

struct Column {
  enum class Role { ignored, label, number, category };
  std::string name;
  Role role = Role::number;
};

bool same_letters(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

class TableParser : public NamedParser {
 public:
  TableParser(const std::string& file, const ReadOptions& options, Format format,
              const Record& reading)
      : NamedParser(file, options), table_(options.table) {
    try {
      learn_from(reading);
    } catch (const std::exception&) {
      throw Error("the model is damaged: it does not record how its table was read");
    }
    delimiter_ = table_.delimiter != 0 ? table_.delimiter : format == Format::tsv ? '\t' : ',';
  }

  LineRule line_rule() const override {
    return {LineRule::Kind::quoted, delimiter_, table_.header};
  }

  void begin(TextBlock& first) override {
    if (first.text.starts_with("\xef\xbb\xbf")) first.text.remove_prefix(3);  // a byte order mark
    std::string_view rest = first.text;
    std::string_view record;
    std::uint64_t line = first.first_line;
    if (!next_record(rest, line, record)) return;
    Cells cells;
    try {
      cells.cut(record.data(), record.data() + record.size(), delimiter_);
    } catch (const BadRow& bad) {
      throw Error(fmt::format("{}:{}: {}", file(), first.first_line, bad.reason));
    }
    name_columns(cells);
    if (known_) {
      take_roles(*known_);
    } else {
      find_label();
      find_categories(table_.header ? rest : first.text);
    }
    if (!table_.header) return;
    first.text = rest;
    first.first_line = line;
  }

  Record reading() const override {
    Record reading;
    reading["header"] = table_.header;
    if (table_.delimiter != 0) reading["delimiter"] = std::string(1, table_.delimiter);
    reading["numbers"] = names_of(Column::Role::number);
    reading["categories"] = names_of(Column::Role::category);
    for (const std::string& name : names_of(Column::Role::label)) reading["label"] = name;
    return reading;
  }

  std::string note() const override {
    if (columns_.empty() || known_) return "";
    std::string label;
    std::string words;
    std::size_t categories = 0;
    for (const Column& column : columns_) {
      if (column.role == Column::Role::label) label = column.name;
      if (column.role != Column::Role::category || ++categories > 8) continue;
      words += (words.empty() ? "" : ", ") + column.name;
    }
    return fmt::format("the label is column {} (--label chooses another); {}", label,
                       categories == 0
                           ? "the others are numbers"
                           : fmt::format("{} of the others are categorical: {}{}", categories,
                                         words, categories > 8 ? ", ..." : ""));
  }

 protected:
  std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                             std::string& name) const override {
    thread_local Cells cells;  // reused for each row
    cells.cut(begin, end, delimiter_);
    if (cells.size() != columns_.size()) {
      throw BadRow{fmt::format("{} cells in a table of {} columns", cells.size(), columns_.size())};
    }
    std::string_view label;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_[i];
      if (column.role == Column::Role::label) {
        label = cells[i];
        if (label.empty() && !options().labels_optional) {
          throw BadRow{fmt::format("no label in column {}", column.name)};
        }
      } else if (column.role == Column::Role::number) {
        add_number(column, cells[i], out);
      } else if (column.role == Column::Role::category && !cells[i].empty()) {
        name.assign(column.name).append("=").append(cells[i]);
        out.add(out.names.place(name), 1);
      }
    }
    return label;
  }

 private:
  struct Known {  // from a file read earlier
    std::string label;
    std::set<std::string> numbers, categories;
  };

  void learn_from(const Record& reading) {
    if (!reading.has("header")) return;
    table_.header = reading.at("header").flag();
    table_.delimiter = reading.value("delimiter", std::string(1, '\0')).text().at(0);
    const auto names = [&](const char* list) {
      const std::vector<std::string> texts = reading.at(list).texts();
      return std::set<std::string>(texts.begin(), texts.end());
    };
    known_ = Known{reading.value("label", "").text(), names("numbers"), names("categories")};
  }

  std::vector<std::string> names_of(Column::Role role) const {
    std::vector<std::string> names;
    for (const Column& column : columns_) {
      if (column.role == role) names.push_back(column.name);
    }
    return names;
  }

  static void add_number(const Column& column, std::string_view cell, NamedRows& out) {
    double value = 0;
    if (is_number(cell, value)) {
      out.add(out.names.place(column.name), value);
    } else if (!stands_for_nothing(cell)) {
      throw BadRow{
          fmt::format("{} in column {} is not a finite number (for a categorical column, use "
                      "--categorical {})",
                      shown(cell), column.name, column.name)};
    }
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

  void name_columns(const Cells& first) {
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::string name = std::to_string(i + 1);
      if (table_.header && !first[i].empty()) name = first[i];
      if (!is_utf8(name)) {
        throw Error(fmt::format("{}:1: the name of column {} is not UTF-8", file(), i + 1));
      }
      if (!names.insert(name).second) {
        throw Error(fmt::format(
            "{}:1: two columns are called {} (if the first line holds data, use --no-header)",
            file(), shown(name)));
      }
      columns_.push_back({std::move(name), Column::Role::number});
    }
  }

  Column& column(const std::string& option, const std::string& asked) {
    for (Column& column : columns_) {
      if (column.name == asked) return column;
    }
    std::size_t number = 0;
    const char* const end = asked.data() + asked.size();
    const auto [rest, error] = std::from_chars(asked.data(), end, number);
    if (error == std::errc() && rest == end && number >= 1 && number <= columns_.size()) {
      return columns_[number - 1];
    }
    throw Error(fmt::format("{}: no column {} for {}", file(), shown(asked), option));
  }

  void find_label() {
    Column* found = &columns_.back();
    if (!table_.label.empty()) {
      found = &column("--label", table_.label);
    } else {
      for (const char* usual : {"y", "target", "class", "label"}) {
        for (Column& column : columns_) {
          if (same_letters(column.name, usual)) found = &column;
        }
      }
    }
    found->role = Column::Role::label;
    if (columns_.size() == 1) {
      throw Error(fmt::format("{}:1: the only column, {}, would be the label (see --delimiter)",
                              file(), shown(found->name)));
    }
  }

  void find_categories(std::string_view text) {
    for (const std::string& asked : table_.categorical) {
      Column& found = column("--categorical", asked);
      if (found.role == Column::Role::label) {
        throw UsageError(fmt::format("--categorical {}: this column is the label", asked));
      }
      found.role = Column::Role::category;
    }
    std::string_view record;
    for (std::uint64_t line = 0; next_record(text, line, record);) find_words(record);
  }

  // Ignores bad records, because parsing reports them.
  void find_words(std::string_view record) {
    Cells cells;
    try {
      cells.cut(record.data(), record.data() + record.size(), delimiter_);
    } catch (const BadRow&) {
      return;
    }
    if (cells.size() != columns_.size()) return;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0;
      if (columns_[i].role != Column::Role::number || stands_for_nothing(cells[i])) continue;
      if (!is_number(cells[i], value)) columns_[i].role = Column::Role::category;
    }
  }

  // Columns have the same role as in the model. Those it does not know are ignored.
  void take_roles(const Known& known) {
    auto [label, numbers, categories] = known;
    for (Column& column : columns_) {
      column.role = Column::Role::ignored;
      if (numbers.erase(column.name) > 0) column.role = Column::Role::number;
      if (categories.erase(column.name) > 0) column.role = Column::Role::category;
      if (column.name == label) column.role = Column::Role::label;
    }
    const bool has_label = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
      return column.role == Column::Role::label;
    });
    if (!has_label && !options().labels_optional) {
      throw Error(fmt::format("{}: no column {}, which holds the label", file(), shown(label)));
    }
    numbers.merge(categories);
    if (numbers.empty()) return;
    throw Error(fmt::format("{}: no column {}, which the training data had{}", file(),
                            shown(*numbers.begin()), table_.header ? "" : " (and no header)"));
  }

  std::optional<Known> known_;
  TableOptions table_;
  char delimiter_;
  std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<NamedParser> make_table_parser(const std::string& file, const ReadOptions& options,
                                               Format format, const Record& reading) {
  return std::make_unique<TableParser>(file, options, format, reading);
}

}  // namespace thresh
