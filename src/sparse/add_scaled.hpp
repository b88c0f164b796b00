// y += a x for dense vectors, in the widest registers of the processor. Each element is rounded as
// written, so the result is the same on all processors.
#pragma once

#include <cstddef>
#include <span>

namespace thresh {

void add_scaled(double* y, double a, const double* x, std::size_t n);

// The same for several vectors, one after the other.
struct Scaled {
  double a;
  const double* x;
};
void add_scaled(double* y, std::span<const Scaled> all, std::size_t n);

}  // namespace thresh
