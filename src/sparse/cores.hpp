// The cores that the process and a thread may use, and threads on them that wait for work.
#pragma once

#include <cstddef>
#include <functional>

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

// Runs `share` in this thread and in idle helper threads (one per further core), at most `most` in
// all. All of them take work from the same pool. Returns when no thread is inside `share`; helpers
// that wake up too late are not waited for. If another loop uses the helpers, this thread works
// alone. A forked process has its own helpers. `share` must not throw.
void with_helpers(std::size_t most, const std::function<void()>& share);

}  // namespace thresh
