// What one look at all rows tells about rows and columns.
//
// Memory: 32 bytes a feature that occurs, and a bounded amount for the rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "diagnose/log_histogram.hpp"
#include "diagnose/passes.hpp"
#include "diagnose/twins.hpp"
#include "sparse/zeroed_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// All zero for a feature that no row has.
struct ColumnLook {
  std::uint64_t hash;   // of the rows and values; equal for equal columns
  double first;         // the value in the first row that has it
  double largest;       // magnitude
  std::uint32_t count;  // rows that have it, up to 2^32 - 1
  bool varies;          // some value differs from the first
};

struct Overview {
  std::uint64_t rows = 0, entries = 0, empty_rows = 0, most_entries = 0;
  ZeroedArray<ColumnLook> columns;   // by slot
  std::vector<std::uint32_t> slots;  // of the features that occur, ascending
  LogHistogram row_sizes;            // entries of rows that have any
  LogHistogram row_lengths;          // |x| of the same rows
  double longest = -std::numeric_limits<double>::infinity();  // log2 |x|
  std::uint64_t longest_row = 0;                              // its number, counted from 0
  double largest = 0;                                         // |x_ij|
  Twins twins;

  // Columns that equal another one, all but the first of each kind.
  std::uint64_t duplicate_columns() const;
  // The same value in every row.
  std::uint64_t constant_columns() const;
};

Overview look_at(RowSource& source, const Watch& watch = {});

}  // namespace thresh
