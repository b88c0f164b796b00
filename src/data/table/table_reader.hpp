// What tables in files and tables in memory have in common: what their columns are, and what
// becomes of the cells of a row. columns.hpp has the rules.
//
// A survey of all rows decides what a column is, unless the user or a model does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/named_rows.hpp"
#include "data/table/columns.hpp"
#include "data/table/text_survey.hpp"

namespace thresh {

// What some rows tell about the columns.
struct TableFacts : BlockFacts {
  std::vector<ColumnFacts> columns;
  TextSurvey::Facts texts;
};

class TableReader {
 public:
  // `reading` and `texts` come from a file read earlier, see Vocabulary, or are empty. Throws Error
  // if they are damaged.
  TableReader(std::string file, const ReadOptions& options, const Record& reading,
              const ColumnTexts& texts);

  const TableOptions& table() const { return table_; }
  const CellReader& cells() const { return cells_; }
  // Whether the columns are known from before, so that no survey is needed.
  bool known() const { return reading_.has("header"); }
  bool has_columns() const { return columns_.has_value(); }
  std::size_t size() const { return columns_->size(); }

  // Takes the names of the columns: those in the header, or of the first row if there is none.
  // Places without a name have their number. `unnamed_first`: the first column has none.
  void begin(std::vector<std::string> names, bool unnamed_first);

  // The survey: look() at all rows, take() what some of them tell in their order, end_survey().
  std::unique_ptr<TableFacts> no_facts() const;
  void look(RowCells& row, TableFacts& facts) const;
  void take(const TableFacts& facts);
  void end_survey();

  // Adds the row's entries and returns its label, which is valid as long as the row's cells. Throws
  // BadRow. `scratch` is memory for names.
  std::string_view add(RowCells& row, NamedRows& out, std::string& scratch) const;

  Record reading() const;
  std::string note() const { return columns_ && !known() ? columns_->note() : ""; }
  ColumnTexts column_texts() const { return columns_ ? columns_->texts() : ColumnTexts{}; }
  std::string label_guessed() const {
    return columns_ && !known() ? columns_->label_guessed() : "";
  }

 private:
  void add_cell(const Column& column, RowCells& row, std::size_t i, NamedRows& out,
                std::string& scratch) const;

  std::string file_;
  ReadOptions options_;
  Record reading_;  // of a file read earlier; empty if there is none
  ColumnTexts texts_;
  TableOptions table_;
  CellReader cells_;
  std::optional<Columns> columns_;  // once their names are known
  std::vector<ColumnFacts> facts_;  // of the survey
  std::optional<TextSurvey> texts_survey_;
};

// The names of columns, made whole: a place without a name has its number, from 1. Throws Error,
// which begins with `where`, for names that are not UTF-8 or that occur twice; `hint` is added to
// the latter.
std::vector<std::string> column_names(const std::vector<std::string_view>& given,
                                      const std::string& where, const std::string& hint);

}  // namespace thresh
