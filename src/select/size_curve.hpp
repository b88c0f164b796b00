// The best models of all sizes, from the smallest to the largest, each judged together with its
// neighbours.
#pragma once

#include <optional>

#include "select/paired.hpp"

namespace thresh {

// The smallest model of those that are about as good as the best one, the constant model included.
// None if that was not fitted, or the scores of single rows are not known.
//
// One size may have found better features than the sizes beside it, by chance, and may suit the
// held-out rows better. A choice by its own score would follow this chance: other rows would choose
// a size ten times as large. So its score on each row is first averaged with those of two sizes on
// either side, with weights 3, 2 and 1, unless they are clearly different or there are few sizes.
std::optional<SizedResult> smallest_on_curve(const Frontier& frontier);

}  // namespace thresh
