// Penalties of single features (`--penalties FILE`).
#pragma once

#include <string>
#include <vector>

#include "data/feed/matrix.hpp"
#include "sparse/feature_map.hpp"

namespace thresh {

// The factor of lambda for each column. Line i of the file is feature i. Throws Error if a line is
// not a finite number above 0, or if the file ends before the last feature.
std::vector<double> read_penalties(const std::string& path, const Matrix& matrix,
                                   const FeatureMap& features);

}  // namespace thresh
