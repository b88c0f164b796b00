// The number of cores that the process and a thread may use.
#pragma once

#include <cstddef>

namespace thresh {

// The cores that this process may run on, counted at the first call. The user can restrict them
// (taskset, cpusets of containers).
std::size_t all_cores();

// The cores that this thread may use, its own included: all, or fewer under a ThreadLimit.
std::size_t cores();

// The limit itself, to pass on to a thread that works for this one; 0: none.
std::size_t thread_limit();

// Whether this thread may use more than one core now.
bool has_second_core();

}  // namespace thresh
