// Features in slices, and the order in which the sums of slices are added.
//
// Every group of S consecutive features has one feature in each of the S slices; where the group
// begins is a hash. So all slices have the same size, neighbours are apart, and the slots of a few
// slices are numbers without gaps that need no table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparse/random.hpp"

namespace thresh {

class Comm;

inline constexpr std::uint64_t kMostSlices = 1 << 16;

// The slice, 0 .. S-1, of the feature with this 0-based id. Models depend on it.
inline std::uint64_t slice_of(std::uint64_t id, std::uint64_t slices) {
  return (id % slices + mix(id / slices) % slices) % slices;
}

// The sum of sums[0 .. n-1] over a balanced binary tree: the first half (the smaller one if n is
// odd) plus the second half.
inline double tree_sum(const double* sums, std::size_t n) {
  if (n == 1) return sums[0];
  const std::size_t half = n / 2;
  return tree_sum(sums, half) + tree_sum(sums + half, n - half);
}

// The slices of one rank, and the slots of their features.
struct Share {
  std::uint64_t slices;      // of all ranks
  std::uint64_t first, end;  // those of this rank
  Comm* comm;                // to the other ranks

  bool has(std::uint64_t id) const {
    const std::uint64_t slice = slice_of(id, slices);
    return first <= slice && slice < end;
  }
  std::uint64_t slot(std::uint64_t id) const {
    return id / slices * (end - first) + slice_of(id, slices) - first;
  }
  std::uint64_t id(std::uint64_t slot) const {
    const std::uint64_t group = slot / (end - first);
    const std::uint64_t slice = first + slot % (end - first);
    return group * slices + (slice + slices - mix(group) % slices) % slices;
  }
};

}  // namespace thresh
