// McNemar's exact test.

#include "thresh/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

// The twin: Pascal's triangle.
TEST(SignTest, IsTheTailOfAFairCoin) {
  for (std::uint64_t n = 0; n <= 60; ++n) {
    std::vector<double> chance{1};
    for (std::uint64_t toss = 0; toss < n; ++toss) {
      std::vector<double> next(chance.size() + 1);
      for (std::size_t k = 0; k < chance.size(); ++k) {
        next[k] += chance[k] / 2;
        next[k + 1] += chance[k] / 2;
      }
      chance = next;
    }
    for (std::uint64_t a = 0; a <= n; ++a) {
      double tail = 0;
      for (std::uint64_t k = 0; k <= std::min(a, n - a); ++k) tail += 2 * chance[k];
      EXPECT_NEAR(thresh::sign_test(a, n - a), std::fmin(1, tail), 1e-12) << a << " of " << n;
    }
  }
  EXPECT_EQ(thresh::sign_test(0, 100000), 0);                    // too small for a double, not NaN
  EXPECT_NEAR(thresh::sign_test(500000, 501000), 0.3178, 1e-3);  // normal: z = 0.999
}
