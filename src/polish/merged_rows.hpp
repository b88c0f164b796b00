// Rows that are equal in the few columns of a support. Of data with 0/1 features most are, and a
// fit need not tell them apart.
//
// Cost: one pass over the entries, and a hash table of 8 bytes per row. For a column more or less:
// one pass over the rows' places and over the entries of the merged rows and of the column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polish/support_matrix.hpp"

namespace thresh {

struct MergedRows {
  SupportMatrix rows;                // one for all that are equal, with the sum of their weights
  std::vector<double> targets;       // by merged row
  std::vector<std::uint32_t> place;  // by original row: the merged row it belongs to
};

// A single column: the rows that have it, in ascending order, and their values.
struct SingleColumn {
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  bool one_value = false;  // all values are equal
};

// Merges rows with the same entries and the same target, in the order of the first of each.
MergedRows merge_equal_rows(const SupportMatrix& rows, std::span<const double> targets);

// The same as merging the rows with one column more, which becomes column `at`. `weights` are those
// of the original rows.
MergedRows with_column(const MergedRows& merged, std::uint32_t at, const SingleColumn& column,
                       std::span<const double> weights);

// The same as merging the rows without column `at`.
MergedRows without_column(const MergedRows& merged, std::uint32_t at,
                          std::span<const double> weights);

// Merges equal rows in place if a quarter of the rows goes. Returns how many have gone.
std::size_t merge_if_many_are_equal(SupportMatrix& rows, std::vector<double>& targets);

}  // namespace thresh
