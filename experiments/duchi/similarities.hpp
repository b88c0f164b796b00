// MNIST's digits, or small substitutes, as similarities to some of them: Duchi et al., eq. 12.
#pragma once

#include <cstdint>
#include <string>

#include "common/data.hpp"

namespace thresh::experiments {

// The k-th 10,000 rows and the k-th 1,000 test rows, k from 1. Features are similarities to the
// first 500 of the rows.
DataSet load_similarities(const std::string& folder, std::uint64_t k);
DataSet similarities_stand_in(std::uint64_t seed);

}  // namespace thresh::experiments
