// Options::keep: features that must be in the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/context.hpp"

namespace thresh {

struct RequiredFeature {
  std::string name;  // as it was asked for
  std::uint32_t slot;
};

// By slot, each once. Throws Error for a feature that the data do not have.
std::vector<RequiredFeature> required_features(const RunContext& run);

// Warns of required features that have no weight although all rows have been shown.
void warn_of_missing_required(RunContext& run, const Solver& solver);

}  // namespace thresh
