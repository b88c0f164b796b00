// Sums over rows or columns must not depend on how many threads there are.
#include "solvers/batch/pieces.hpp"

#include <gtest/gtest.h>

#include "sparse/random.hpp"

namespace thresh::pieces_law {
namespace {

std::vector<double> sums_of_pieces(const std::vector<double>& values, std::size_t entries) {
  std::vector<double> sums((values.size() + kPiece - 1) / kPiece);
  in_pieces(values.size(), entries, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sums[begin / kPiece] += values[i];
  });
  return sums;
}

TEST(Pieces, AreTheSameOnOneThreadAndOnAll) {
  Random random(3);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, kPiece, kPiece + 1, 50 * kPiece + 7}) {
    std::vector<double> values(n);
    for (double& value : values) value = random.normal();
    const std::vector<double> serial = sums_of_pieces(values, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
      ASSERT_EQ(sums_of_pieces(values, std::size_t{1} << 30), serial) << n;
    }
  }
}

}  // namespace
}  // namespace thresh::pieces_law
