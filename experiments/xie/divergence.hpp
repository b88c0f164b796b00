// GraDes on the newsgroups, step by step: Xie et al., section 4.2, Figures 1-4.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

void add_divergence(const Context& context, Report& report);

}  // namespace thresh::experiments
