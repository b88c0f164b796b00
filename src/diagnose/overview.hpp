// Facts about rows and columns from one pass over the data.
//
// Memory: 40 bytes per feature that occurs, and a bounded amount for the rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "diagnose/equal_columns.hpp"
#include "diagnose/log_histogram.hpp"
#include "diagnose/passes.hpp"
#include "sparse/zeroed_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// All zero for a feature that occurs in no row.
struct ColumnStats {
  std::uint64_t hash;   // of rows and values; equal for equal columns
  double first;         // in the first row with the feature
  double largest;       // magnitude
  std::uint64_t row;    // that has it first, from 0
  std::uint32_t count;  // rows with the feature, up to 2^32 - 1
  bool varies;          // some value differs from the first
};

struct Overview {
  std::uint64_t rows = 0, entries = 0, empty_rows = 0, most_entries = 0;
  ZeroedArray<ColumnStats> columns;                           // indexed by slot
  std::vector<std::uint32_t> slots;                           // of features that occur, ascending
  LogHistogram row_sizes;                                     // entries of non-empty rows
  LogHistogram row_lengths;                                   // |x| of the same rows
  double longest = -std::numeric_limits<double>::infinity();  // log2 |x|
  std::uint64_t longest_row = 0;                              // number, from 0
  double largest = 0;                                         // |x_ij|
  Twins twins;

  // Columns equal to an earlier one.
  std::uint64_t duplicate_columns() const;
  // Columns with the same value in every row.
  std::uint64_t constant_columns() const;
};

Overview overview_of(RowSource& source, const Watch& watch = {});

}  // namespace thresh
