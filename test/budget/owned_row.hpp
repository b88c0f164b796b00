// Rows that own what they point to.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct OwnedRow {
  std::vector<std::uint32_t> slots;
  std::vector<double> values;
  std::uint64_t id = 0;
  Row row() const { return {slots.data(), values.data(), slots.size(), 1, 1, id}; }
};

// Some of the slots 0 .. end-1.
inline OwnedRow any_row(std::uint32_t end, Random& random, double density = 0.5) {
  OwnedRow row;
  for (std::uint32_t slot = 0; slot < end; ++slot) {
    if (random.uniform() >= density) continue;
    row.slots.push_back(slot);
    row.values.push_back(random.normal());
  }
  return row;
}

}  // namespace thresh
