#include <chrono>

#include "thresh/cluster.hpp"

namespace thresh {

void Comm::exchange(std::span<const std::byte> mine, std::vector<Message>& all) {
  const auto started = std::chrono::steady_clock::now();
  do_exchange(mine, all);
  traffic_.waiting +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  ++traffic_.exchanges;
  traffic_.messages += size() - 1;
  traffic_.bytes += (size() - 1) * mine.size();
}

}  // namespace thresh
