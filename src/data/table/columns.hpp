// What the columns of a table are, and how their cells become features. It does not matter where
// the cells come from: a file, or a table in memory.
//
// A column of numbers is one feature, named like the column. A categorical column has one feature
// COLUMN=VALUE for each value. A column of dates is `COLUMN year` and `COLUMN age` (days before the
// latest date of the training data), and the categories `COLUMN month` and `COLUMN weekday`.
// A missing number is replaced by the trimmed mean of its column. If cells are missing often enough
// for a weight of their own, there is a feature `COLUMN is missing` as well. A column of text has
// a feature `COLUMN:TERM` for each of its terms.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/named_rows.hpp"
#include "data/table/column_facts.hpp"
#include "text/vectorizer.hpp"
#include "thresh/record.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct Column {
  enum class Role { ignored, label, number, category, date, text, id, weight, group, time };
  std::string name;
  Role role = Role::number;
  std::optional<double> mean;                  // stands for a missing number; of the ages for dates
  bool indicator = false;                      // whether `COLUMN is missing` is a feature
  std::int64_t latest = 0;                     // of dates, as days since 1970
  std::uint64_t missing = 0;                   // cells in the training data
  std::shared_ptr<const TextVectorizer> text;  // of a text column
  std::string why;                             // it is ignored; "" if the user said so
};

class Columns {
 public:
  // `names` as in the header; `unnamed_first` if the first has none. Messages begin with `file`.
  Columns(std::string file, std::vector<std::string> names, bool unnamed_first);

  // Decides what the columns are by the options and by the cells. Throws Error or UsageError.
  void decide(const TableOptions& options, const std::vector<ColumnFacts>& facts);
  // The text columns of the options, before decide(); and what is learned about them, after it.
  std::vector<std::size_t> text_columns(const TableOptions& options);
  void set_text(std::size_t column, std::shared_ptr<const TextVectorizer> text);
  ColumnTexts texts() const;
  // Columns are what `reading` and `texts` say. Those it does not know are ignored. Absent ones
  // that options.needed allows to be absent are in absent().
  void restore(const Record& reading, const ColumnTexts& texts, const TableOptions& options,
               bool labels_optional);
  // Stores the result of decide().
  void record(Record& reading) const;
  // Tells the user what decide() found, in lines.
  std::string note() const;

  std::size_t size() const { return columns_.size(); }
  const Column& operator[](std::size_t i) const { return columns_[i]; }
  // Used columns that the table lacks. Their cells are missing in every row.
  const std::vector<Column>& absent() const { return absent_; }
  const std::string& label_guessed() const { return guessed_; }

  // Adds the features of a cell. Throws BadRow. `scratch` is memory for names.
  void encode(const Column& column, const Cell& cell, NamedRows& out, std::string& scratch) const;

 private:
  std::string columns_like(const std::string& asked) const;
  Column& find(const std::string& option, const std::string& asked);
  void give(const std::string& option, const std::string& asked, Column::Role role);
  void find_label(const TableOptions& options);
  void settle(Column& column, const ColumnFacts& facts, const TableOptions& options);
  void learn_missing(Column& column, const ColumnFacts& facts) const;
  std::vector<std::string> names_of(Column::Role role) const;
  void encode_missing(const Column& column, NamedRows& out, std::string& scratch) const;
  void encode_date(const Column& column, const Cell& cell, NamedRows& out,
                   std::string& scratch) const;
  void encode_text(const Column& column, std::string_view cell, NamedRows& out,
                   std::string& scratch) const;

  std::string file_;
  std::vector<Column> columns_;
  std::vector<std::string> given_;  // the option that gave the column its role; "" if none
  std::vector<Column> absent_;
  std::string guessed_;  // the label's column, if nothing names it
  bool unnamed_first_;
  TableOptions::Missing missing_ = TableOptions::Missing::zero;
  std::vector<std::string> na_;
};

}  // namespace thresh
