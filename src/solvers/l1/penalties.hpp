// Penalties of single features (`--penalties FILE`).
#pragma once

#include <string>
#include <vector>

#include "data/feed/matrix.hpp"
#include "sparse/feature_map.hpp"

namespace thresh {

// What lambda is multiplied by, column by column: line i of the file is feature i. Throws Error for
// a line that is not a finite number above 0, or a file that ends before the last feature.
std::vector<double> read_penalties(const std::string& path, const Matrix& matrix,
                                   const FeatureMap& features);

}  // namespace thresh
