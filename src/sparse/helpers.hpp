// Threads that wait for work, so that sharing even a tenth of a millisecond of work pays.
#pragma once

#include <cstddef>
#include <functional>

namespace thresh {

// Runs `share` in this thread and in idle helper threads (one per further core), at most `most` in
// all. All of them take work from the same pool. Returns when no thread is inside `share`; helpers
// that wake up too late are not waited for. If another loop uses the helpers, this thread works
// alone. A forked process has its own helpers. `share` must not throw.
void with_helpers(std::size_t most, const std::function<void()>& share);

}  // namespace thresh
