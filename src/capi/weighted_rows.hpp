// Rows with weights that came beside them.
#pragma once

#include <memory>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh::capi {

// Throws UsageError unless there is one finite weight >= 0 for each row.
void check_weights(const std::vector<double>& weights, std::uint64_t rows);

// Row i has weight i, relative to the mean of those above zero. The source must have a survey.
std::shared_ptr<RowSource> weighted_rows(std::shared_ptr<RowSource> rows,
                                         const std::vector<double>& weights);

}  // namespace thresh::capi
