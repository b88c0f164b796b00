// The certificate of a model of at most K features: its objective, and a bound for all others.
#pragma once

#include <vector>

#include "certify/examination.hpp"
#include "thresh/certificate.hpp"

namespace thresh {

// Adds everything but the rows. `part` is the model of the class whose certificate it is.
// The facts have a dual point. `seconds` are left for the trees of this and all later parts.
void add_subset_bound(const Examination& found, const TrainingFacts& facts, std::size_t part,
                      double& seconds, Record& claim);

// Checks the claim, one fact after the other, until one is wrong.
std::vector<Check> check_subset_bound(const Examination& found, const Record& claim);

}  // namespace thresh
