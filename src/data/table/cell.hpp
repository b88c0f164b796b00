// One cell of a table: nothing, a number or a word. Tables in files and in memory give the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

struct Cell {
  enum class Kind {
    empty,      // nothing, or a word that --na names: missing in every column
    na,         // NA, null, ...: missing in a column of numbers, a word in any other
    number,     // finite
    no_number,  // Inf, 1e400, 0x10: written as a number, but not a finite decimal one
    word
  };
  Kind kind = Kind::empty;
  double number = 0;
  std::string_view text;  // as written; for a number from memory it may be empty

  bool missing_among_numbers() const { return kind == Kind::empty || kind == Kind::na; }
};

// The cells of a row. Texts are as in a file, without quotes, and valid until the next row.
class RowCells {
 public:
  virtual ~RowCells() = default;
  virtual std::size_t size() const = 0;
  virtual std::string_view text(std::size_t column) = 0;
  virtual Cell cell(std::size_t column) = 0;
};

// Tells what the text of a cell is. Blanks around it have been removed.
class CellReader {
 public:
  // The words for a missing cell; none: the usual ones.
  explicit CellReader(std::vector<std::string> na = {});
  // kTextPadding bytes after the text must be readable.
  Cell read(std::string_view text) const;
  // Whether a number may be one of the words, if written in the right way.
  bool may_be_missing(double number) const {
    return !na_numbers_.empty() &&
           std::find(na_numbers_.begin(), na_numbers_.end(), number) != na_numbers_.end();
  }

 private:
  std::vector<std::string> na_;
  std::vector<double> na_numbers_;  // those of the words that are numbers
};

// Whether people read a word as a number: 1,5 and 1,234.50, with a currency or a percent sign.
bool is_other_notation(std::string_view word);

// A day in the Gregorian calendar.
struct Date {
  int year = 0;
  unsigned month = 1, day = 1;

  std::int64_t days() const;  // since 1970-01-01
  unsigned weekday() const;   // 0: Monday
};
// Reads 2024-03-31, 2024/03/31, 20240331 or 31.3.2024, each optionally followed by a blank or T and
// a time, which is ignored. None for anything else.
std::optional<Date> parse_date(std::string_view text);
// The same for the shortest text of a number.
std::optional<Date> parse_date(double number);

}  // namespace thresh
