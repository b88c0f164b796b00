// What a user can do about a run that got out of control.
#pragma once

#include <string>

#include "solvers/catalog.hpp"

namespace thresh {

// How a user asks a solver for smaller steps; "" if there is no way.
std::string smaller_steps(const LoopInfo& info);

}  // namespace thresh
