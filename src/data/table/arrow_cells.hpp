// The cells of a column in Arrow's memory: as text of a csv file, and numbers as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "thresh/thresh.h"

namespace thresh {

// Appends the cell of a row, without quotes; nothing for a missing one.
using WriteCell = std::function<void(const ArrowArray& column, std::int64_t row, std::string& out)>;
// The number in a row; NaN for a missing one. The text of the cell stands for the same number.
using ReadNumber = std::function<double(const ArrowArray& column, std::int64_t row)>;

inline constexpr std::size_t kWidestNumber = 24;  // -2.2250738585072014e-308

struct ArrowCells {
  WriteCell text;
  ReadNumber number;       // null: the cells are words or dates
  std::size_t widest = 0;  // no text is longer; 0: there is no such limit
};

// How to read the cells of a column. Throws UsageError for types that are neither numbers, words
// nor dates.
ArrowCells arrow_cells(const ArrowSchema& schema, const std::string& name);

}  // namespace thresh
