// What must hold for any input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace thresh {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace thresh
