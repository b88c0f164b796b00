#include "sparse/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "thresh/threads.hpp"

namespace thresh {
namespace {

thread_local std::size_t limit_here = 0;  // of this thread; 0: none

std::size_t usable_cores() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  // Fails on machines with more cores than the set has room for.
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return static_cast<std::size_t>(CPU_COUNT(&usable));
}

}  // namespace

std::size_t all_cores() {
  static const std::size_t count = usable_cores();
  return count;
}

std::size_t cores() {
  return limit_here > 0 ? std::min(limit_here, all_cores()) : all_cores();
}

bool has_second_core() {
  return limit_here != 1 && usable_cores() > 1;
}

std::size_t thread_limit() {
  return limit_here;
}

ThreadLimit::ThreadLimit(std::size_t threads) : before_(limit_here) {
  if (threads > 0) limit_here = limit_here > 0 ? std::min(limit_here, threads) : threads;
}

ThreadLimit::~ThreadLimit() {
  limit_here = before_;
}

}  // namespace thresh
