// One cell of a table: nothing, a number or a word. Tables in files and in memory give the same.
#pragma once

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

// Tells what the text of a cell is. Blanks around it have been removed.
class CellReader {
 public:
  // The words for a missing cell; none: the usual ones.
  explicit CellReader(std::vector<std::string> na = {}) : na_(std::move(na)) {}
  // kTextPadding bytes after the text must be readable.
  Cell read(std::string_view text) const;

 private:
  std::vector<std::string> na_;
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

}  // namespace thresh
