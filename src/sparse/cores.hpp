// How many cores there are for us.
#pragma once

#include <cstddef>

namespace thresh {

// Those that this process may run on, which is for the user to say (taskset, cpusets of
// containers), when it was first asked for.
std::size_t cores();

// Whether this thread may run on more than one of them now.
bool has_second_core();

}  // namespace thresh
