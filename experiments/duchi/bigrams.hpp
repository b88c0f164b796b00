// Online learning on pairs of words: Duchi et al., Figure 8.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

std::vector<DataSpec> bigrams_data();  // and those of the repetitions
void add_bigrams(const Context& context, Report& report);

}  // namespace thresh::experiments
