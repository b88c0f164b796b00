// Read-only passes over all rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "sparse/parallel.hpp"
#include "thresh/error.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Receives progress after every block, and may stop the pass.
struct Watch {
  std::function<void(std::uint64_t bytes)> on_bytes;
  const std::atomic<bool>* stop = nullptr;
};

// Calls make(block) on all cores and take(block, result) in row order, one at a time, so that sums
// do not depend on the number of cores.
template <class Make, class Take>
void each_block(RowSource& source, const Watch& watch, const Make& make, const Take& take) {
  const auto stats = [&](std::size_t k) {
    if (watch.stop != nullptr && *watch.stop) throw Interrupted(source.name() + ": interrupted");
    BlockPtr block = source.block(k);
    auto made = make(*block);
    return std::pair(std::move(block), std::move(made));
  };
  parallel_in_order(source.survey()->blocks, stats, [&](std::size_t, auto&& done) {
    take(*done.first, done.second);
    if (watch.on_bytes) watch.on_bytes(done.first->source_bytes);
  });
}

}  // namespace thresh
