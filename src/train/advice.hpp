// What a user can do about a run that got out of control.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/context.hpp"

namespace thresh {

// How a user asks a solver for smaller steps; "" if there is no way.
std::string smaller_steps(const LoopInfo& info);

// What may help, in brackets: options that this solver has and that are not in use. `slot` is that
// of the feature at fault, if it is one.
std::string advice(const RunContext& run, std::optional<std::uint32_t> slot);

// Of features that most of the first rows have, whether some are so much smaller than others that a
// penalty on weights keeps them out, or that budget's steps leave them behind. Steps of others
// would have gone astray.
void warn_of_scales(RunContext& run);

}  // namespace thresh
