// A plugin around thresh-mpi that holds every message back for $DELAY_MS, for bench/cluster where
// the kernel has no netem. Ranks exchange in lockstep, so at most one message of each waits.

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

#include "cluster/plugin.h"

namespace {

using Clock = std::chrono::steady_clock;

const thresh_mpi* real;
std::chrono::duration<double, std::milli> delay;
std::vector<std::optional<Clock::time_point>> came;  // the next message of each rank

long long waiting(int from) {
  const long long size = real->waiting(from);
  if (size < 0) return -1;
  auto& at = came[static_cast<std::size_t>(from)];
  if (!at) at = Clock::now();
  return Clock::now() - *at < delay ? -1 : size;
}

void receive(int from, void* bytes, std::size_t size) {
  came[static_cast<std::size_t>(from)].reset();
  real->receive(from, bytes, size);
}

thresh_mpi calls;

}  // namespace

extern "C" __attribute__((visibility("default"))) const thresh_mpi* thresh_mpi_begin_v1() {
  void* const library = dlopen(std::getenv("REAL_PLUGIN"), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return nullptr;
  real = reinterpret_cast<thresh_mpi_begin>(dlsym(library, "thresh_mpi_begin_v1"))();
  delay = std::chrono::duration<double, std::milli>(std::atof(std::getenv("DELAY_MS")));
  came.resize(static_cast<std::size_t>(real->size));
  calls = *real;
  calls.waiting = waiting;
  calls.receive = receive;
  return &calls;
}
