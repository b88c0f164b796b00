// Loops over dense vectors, written so that the result is the same on all processors: each element
// is rounded as written.
#pragma once

#include <cstddef>
#include <span>

namespace thresh {

// y += a x, in the widest registers of the processor.
void add_scaled(double* y, double a, const double* x, std::size_t n);

// The same for several vectors, one after the other.
struct Scaled {
  double a;
  const double* x;
};
void add_scaled(double* y, std::span<const Scaled> all, std::size_t n);

// The sum of n terms in four parts, because each addition waits for the one before it.
template <class Term>
double sum_in_four(std::size_t n, const Term& term) {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += term(i);
    b += term(i + 1);
    c += term(i + 2);
    d += term(i + 3);
  }
  for (; i < n; ++i) a += term(i);
  return (a + b) + (c + d);
}

}  // namespace thresh
