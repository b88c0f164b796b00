#include "sparse/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace thresh {
namespace {

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

std::size_t cores() {
  static const std::size_t count = usable_cores();
  return count;
}

bool has_second_core() {
  return usable_cores() > 1;
}

}  // namespace thresh
