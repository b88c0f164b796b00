// What several ranks that learn one model must have in common, and what they cannot do.
#pragma once

#include <cstdint>
#include <optional>

#include "thresh/cluster.hpp"
#include "train/setup.hpp"

namespace thresh {

// Throws UsageError for what needs more of the weights or rows than a rank has.
void check_shared_run(const Problem& problem, const Options& options);

// The largest term of a margin that is out of bounds: the feature's id (none: the intercept), its
// weight and its value.
struct WorstTerm {
  std::optional<std::uint64_t> id;
  double weight;
  double value;
};

// Of what each rank found among its features. An exchange if there are several.
WorstTerm worst_term(const Runaway& mine, const FeatureMap& features);

// The lower end of what each rank has; the upper one is -lowest(-number). An exchange if there are
// several.
double lowest_on_all_ranks(double mine, const FeatureMap& features);

}  // namespace thresh
