#include "sparse/cholesky.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

constexpr std::size_t kPanel = 32;  // columns that stay in the cache while later ones use them

// Subtracts the part of columns first .. last-1 of the factor (at most a panel) from column j.
void take_out(SquareMatrix& h, std::size_t first, std::size_t last, std::size_t j) {
  std::array<Scaled, kPanel> columns;
  for (std::size_t k = first; k < last; ++k) columns[k - first] = {-h(j, k), &h(j, k)};
  add_scaled(&h(j, j), {columns.data(), last - first}, h.size() - j);
}

void finish_column(SquareMatrix& h, std::size_t j) {
  const double root = std::sqrt(h(j, j));
  const double inverse = 1 / root;
  h(j, j) = root;
  for (std::size_t i = j + 1; i < h.size(); ++i) h(i, j) *= inverse;
}

}  // namespace

void factorise(SquareMatrix& h) {
  for (std::size_t first = 0; first < h.size(); first += kPanel) {
    const std::size_t last = std::min(first + kPanel, h.size());
    for (std::size_t j = first; j < last; ++j) {
      take_out(h, first, j, j);
      finish_column(h, j);
    }
    for (std::size_t j = last; j < h.size(); ++j) take_out(h, first, last, j);
  }
}

std::vector<double> solve_definite(SquareMatrix& h, std::span<const double> right) {
  factorise(h);
  return solve_factorised(h, right);
}

std::vector<double> solve_factorised(const SquareMatrix& l, std::span<const double> right) {
  std::vector<double> x(right.begin(), right.end());
  const std::size_t size = l.size();
  for (std::size_t j = 0; j < size; ++j) {
    x[j] /= l(j, j);
    if (j + 1 < size) add_scaled(&x[j + 1], -x[j], &l(j + 1, j), size - j - 1);
  }
  for (std::size_t j = size; j-- > 0;) {
    const double rest =
        sum_in_four(size - j - 1, [&](std::size_t i) { return l(j + 1 + i, j) * x[j + 1 + i]; });
    x[j] = (x[j] - rest) / l(j, j);
  }
  return x;
}

}  // namespace thresh
