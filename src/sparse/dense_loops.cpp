#include "sparse/dense_loops.hpp"

#include "sparse/wide.hpp"

namespace thresh {

THRESH_WIDE void add_scaled(double* y, double a, const double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

namespace {

// Four vectors at a time, so that y is loaded and stored once for four.
THRESH_WIDE void add_four(double* y, const Scaled* four, std::size_t n) {
  const Scaled a = four[0];
  const Scaled b = four[1];
  const Scaled c = four[2];
  const Scaled d = four[3];
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = y[i] + a.a * a.x[i] + b.a * b.x[i] + c.a * c.x[i] + d.a * d.x[i];
  }
}

}  // namespace

void add_scaled(double* y, std::span<const Scaled> all, std::size_t n) {
  std::size_t done = 0;
  for (; done + 4 <= all.size(); done += 4) add_four(y, &all[done], n);
  for (; done < all.size(); ++done) add_scaled(y, all[done].a, all[done].x, n);
}

}  // namespace thresh
