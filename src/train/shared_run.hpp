// What several ranks that learn one model must have in common, and what they cannot do.
#pragma once

#include <string>

#include "thresh/cluster.hpp"
#include "train/setup.hpp"

namespace thresh {

// Throws UsageError for what needs more of the weights or rows than a rank has.
void check_shared_run(const Problem& problem, const Options& options, const RunSetup& setup);

// Throws Error unless all ranks read the same bytes, UsageError for what cannot be read by several.
void check_same_file(const std::string& path, Comm& comm);

}  // namespace thresh
