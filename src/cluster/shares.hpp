// Which slices a rank has: whole ones, about as many as every other rank, in order.
#pragma once

#include "sparse/slices.hpp"
#include "thresh/cluster.hpp"

namespace thresh {

inline Share share_of(std::size_t rank, Comm& comm, std::uint64_t slices) {
  const std::size_t ranks = comm.size();
  return {slices, rank * slices / ranks, (rank + 1) * slices / ranks, &comm};
}

}  // namespace thresh
