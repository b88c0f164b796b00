// Online learning on pairs of words: Duchi et al., Figure 8.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

DataSpec bigrams_data();
void add_bigrams(const Context& context, Report& report);

}  // namespace thresh::experiments
