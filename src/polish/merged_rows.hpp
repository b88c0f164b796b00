// Rows that are equal in the few columns of a support. Of data with 0/1 features most are, and a
// fit need not tell them apart.
//
// Cost: one pass over the entries, and a hash table of 8 bytes per row.
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

// Merges rows with the same entries and the same target, in the order of the first of each.
MergedRows merge_equal_rows(const SupportMatrix& rows, std::span<const double> targets);

}  // namespace thresh
