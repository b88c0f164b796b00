// Two doubles in one register, which every 64-bit processor has.
//
// For features that have two numbers each: such a pair is one load and one store.
#pragma once

#include <cstdint>
#include <cstring>

namespace thresh {

using Two [[gnu::vector_size(16)]] = double;
using TwoMasks [[gnu::vector_size(16)]] = std::int64_t;  // of comparisons: -1 where they hold

inline Two load_two(const double* from) {
  Two two;
  std::memcpy(&two, from, sizeof two);
  return two;
}
inline void store_two(double* to, Two two) {
  std::memcpy(to, &two, sizeof two);
}

}  // namespace thresh
