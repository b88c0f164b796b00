// Loops over all rows or columns on all cores, in pieces of fixed size, so that sums over the
// pieces do not depend on the number of cores.
#pragma once

#include <algorithm>
#include <vector>

#include "data/feed/matrix.hpp"
#include "sparse/compensated_dot.hpp"
#include "sparse/parallel.hpp"

namespace thresh {

inline constexpr std::size_t kPiece = 1024;  // rows or columns

// The piece size for columns of very different lengths: gives a few dozen pieces.
inline std::size_t fine_piece(std::size_t n) {
  return std::max<std::size_t>(1, n / 64);
}

// Calls work(begin, end) for pieces of 0 .. n-1, on all cores if there is enough work.
template <class Work>
void in_pieces(std::size_t n, std::size_t entries, const Work& work, std::size_t size = kPiece) {
  const std::size_t pieces = (n + size - 1) / size;
  const auto piece = [&](std::size_t k) { work(k * size, std::min(n, (k + 1) * size)); };
  if (entries < 1 << 14) {
    for (std::size_t k = 0; k < pieces; ++k) piece(k);
  } else {
    parallel_for(pieces, piece);
  }
}

inline double dot(const SparseVector& vector, const std::vector<double>& dense) {
  double sum = 0;
  for (std::size_t k = 0; k < vector.size; ++k) sum += dense[vector.at[k]] * vector.values[k];
  return sum;
}

inline double dot(const SparseVector& vector, const std::vector<double>& dense, bool compensated) {
  return compensated ? compensated_dot(dense.data(), vector.at, vector.values, vector.size)
                     : dot(vector, dense);
}

}  // namespace thresh
