// What several ranks that learn one model must have in common, and what they cannot do.
#pragma once

#include <string>

#include "thresh/cluster.hpp"
#include "train/setup.hpp"

namespace thresh {

// Throws UsageError for what needs more of the weights or rows than a rank has.
void check_shared_run(const Problem& problem, const Options& options, const RunSetup& setup);

}  // namespace thresh
