// Error against density, and the exponents of SMIDAS's weights: Xie et al., Figure 5 and Table 3.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

// Solvers of the methods.
std::vector<std::string> xie_solvers();

// Also says what was run.
void add_errors(const Context& context, Report& report);

}  // namespace thresh::experiments
