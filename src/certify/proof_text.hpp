// The nodes of a proof by branch and bound as text: the feature of its children, or -, then its
// dual point if it has one of its own: the intercept, and FEATURE:WEIGHT for each feature.
#pragma once

#include <string>

#include "thresh/fit.hpp"

namespace thresh {

// With seven digits: any dual point is a valid one.
std::string proof_text(const ProofNode& node);
// Throws RecordError.
ProofNode parse_proof_node(const std::string& text);

}  // namespace thresh
