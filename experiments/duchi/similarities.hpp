// MNIST's digits, or small substitutes, as similarities to some of them: Duchi et al., eq. 12.
#pragma once

#include <cstdint>
#include <string>

#include "common/data.hpp"

namespace thresh::experiments {

// All digits, for k > 1 in an order of its own. Features are similarities to the first 2,766 rows.
DataSet load_similarities(const std::string& folder, std::uint64_t k);
DataSet similarities_stand_in(std::uint64_t seed);

}  // namespace thresh::experiments
