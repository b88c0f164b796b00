// Threads that wait for work, so that sharing a tenth of a millisecond of it still pays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>

namespace thresh {

inline std::size_t cores() {
  static const std::size_t count = std::max(2U, std::thread::hardware_concurrency());
  return count;
}

// Runs `share` in this thread and in as many others as there are cores to spare, `most` in all, all
// taking from the same heap of work, and comes back when nobody is in it any more. A helper that
// has not woken up by the time this thread is through is not waited for. Within a loop that has the
// helpers already, this thread works alone. `share` must not throw.
void with_helpers(std::size_t most, const std::function<void()>& share);

}  // namespace thresh
