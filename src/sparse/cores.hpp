// How many cores there are for us.
#pragma once

#include <cstddef>

namespace thresh {

// Those that this process may run on, which is for the user to say (taskset, cpusets of
// containers), when it was first asked for.
std::size_t all_cores();

// Those that this thread may share its work with, itself included: all, or fewer under a
// ThreadLimit.
std::size_t cores();

// The limit itself, to hand it on to a thread that works for this one; 0: none.
std::size_t thread_limit();

// Whether there is more than one of them for this thread now.
bool has_second_core();

}  // namespace thresh
