// The features of a table on one scale and near zero, for solvers that want them so.
//
// A table has columns in units of their own: years, amounts, shares. Data are taken for one if most
// values belong to features that a quarter of the rows have; words and other sparse data are not,
// and stay as they are. All is measured on a few blocks, spread over the file, and means leave out
// the hundredth (at least one) that is largest: neither sorted rows nor a few far too long ones do
// harm.
//
// - A feature far from zero is centred: one whose mean c over all rows is beyond 2.5 times the mean
//   of |x - c|, which of normal values is two standard deviations. Else it is little more than a
//   second intercept, and steps follow that alone.
// - A feature is divided by sqrt(p s^2 + (1 - p)), if a share p of the rows has it, all if it is
//   centred, and s is the mean size of its values there, in units of the median of all features. So
//   what all rows have comes on one scale, and what few have stays on that of its encoding.
//
// Cost: the values of 16 blocks, sorted.
#pragma once

#include <memory>

#include "data/feed/feature_scales.hpp"

namespace thresh {

// Null if the rows are no table. Only slots below `centred_end` may be centred.
std::shared_ptr<const FeatureScales> table_scales(RowSource& source, std::uint64_t centred_end);

}  // namespace thresh
