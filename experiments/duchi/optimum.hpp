// How fast methods come near the optimum: Duchi et al., Figures 4-6.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

std::vector<DataSpec> optimum_data();
void add_distances(const Context& context, Report& report);

}  // namespace thresh::experiments
