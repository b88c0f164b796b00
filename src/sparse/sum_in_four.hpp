// Sums with four independent accumulators.
#pragma once

#include <cstddef>

namespace thresh {

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
