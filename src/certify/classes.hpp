// Certificates for more than two classes, each against the rest. Each class is certified like a
// two-class model, and one bound covers all classes.
//
// All parts are functions of the rows that caused an update of any part: other rows changed
// nothing. So the union of the compression sets is a compression scheme for the whole model, and
// eq. 17 holds for its error.
#pragma once

#include <cstdint>
#include <vector>

#include "certify/training_rows.hpp"

namespace thresh {

// One class against the rest as a two-class model. `updates` is the claimed number of updates of
// this class.
Claimed against_rest(const Claimed& all, std::size_t number, std::uint64_t updates);

// The number of rows that the whole model misclassifies.
std::uint64_t wrong_classes(const Claimed& claimed);

// The number of distinct rows in all of these.
std::uint64_t size_of_union(const std::vector<std::vector<std::uint64_t>>& compression_sets);

}  // namespace thresh
