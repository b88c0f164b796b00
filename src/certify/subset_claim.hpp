// What the certificate of a feature budget holds, as a problem with dual points, and back.
#pragma once

#include <cstdint>
#include <vector>

#include "certify/subset_bound.hpp"
#include "thresh/record.hpp"

namespace thresh {

// All throw RecordError if the claim is damaged. Features have slots here, indices in the claim.
SubsetProblem problem_of(const Record& claim, const Claimed& claimed);
SlotPoint dual_of(const Record& claim, const Claimed& claimed);
BoundTree tree_of(const Record& claim, const Claimed& claimed);

Record record_of(const ClassPart& dual);
// Ascending.
std::vector<std::uint64_t> indices_of(const std::vector<std::uint32_t>& slots,
                                      const Claimed& claimed);
// The features that the options of the training name, by index.
std::vector<std::uint64_t> kept_of(const Model& model);

}  // namespace thresh
