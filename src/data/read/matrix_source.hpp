// Sources of rows that are arrays of the caller.
#pragma once

#include <memory>

#include "data/read/matrix_reader.hpp"
#include "data/read/memory_rows.hpp"
#include "thresh/matrix.hpp"

namespace thresh {

std::shared_ptr<RowSource> matrix_rows(const MatrixView& matrix, bool normalize_l2,
                                       std::shared_ptr<FeatureMap> features,
                                       MatrixCheck check = MatrixCheck::at_once);
// Copies the rows of all batches to a temporary file.
std::shared_ptr<RowSource> batch_rows(const NextBatch& next, bool normalize_l2,
                                      std::shared_ptr<FeatureMap> features);

}  // namespace thresh
