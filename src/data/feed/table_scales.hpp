// Scales the features of a table and moves them near zero, for solvers that need this.
//
// The columns of a table have their own units: years, amounts, shares. Data count as a table if
// most values belong to features that a quarter of the rows have. Words and other sparse data do
// not, and stay unscaled. Everything is measured on a few blocks, spread over the file. Means leave
// out the largest hundredth (at least one). So neither sorted rows nor a few outliers do harm.
//
// - A feature far from zero is centred: one whose mean c over all rows is beyond 2.5 times the mean
//   of |x - c|, which for normal values is two standard deviations. Otherwise it would be little
//   more than a second intercept, and steps would follow that alone.
// - A feature is divided by sqrt(p s^2 + (1 - p)). p is the share of rows that have it, 1 if it is
//   centred. s is the mean size of its values there, in units of the median of all features. So
//   features of all rows get one scale, and rare ones stay on the scale of their encoding.
//
// Cost: the values of 16 blocks, sorted.
#pragma once

#include <memory>

#include "data/feed/feature_scales.hpp"

namespace thresh {

// Null if the rows are not a table. Only slots below `centred_end` may be centred.
std::shared_ptr<const FeatureScales> table_scales(RowSource& source, std::uint64_t centred_end);

}  // namespace thresh
