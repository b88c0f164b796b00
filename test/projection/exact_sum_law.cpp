// Sums without rounding, against sums of integers.
#include "projection/exact_sum.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace thresh::exact_sum_law {
namespace {

RC_GTEST_PROP(ExactSum, IsThatOfIntegers, (std::vector<int> numbers)) {
  for (const int exponent : {-1074, -60, 0, 900}) {
    ExactSum sum;
    long long expected = 0;
    for (const int n : numbers) {
      sum.add(std::ldexp(n, exponent));
      sum.add(1e300);
      sum.add_multiple(1e-300, 3);
      expected += n;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum.subtract(1e300);
      sum.add_multiple(-1e-300, 3);
    }
    RC_ASSERT(sum.negative() == (expected < 0));
    RC_ASSERT(sum.divided_by(1) == std::ldexp(static_cast<double>(expected), exponent));
    if (exponent == 0) {
      RC_ASSERT(sum.divided_by(7) == static_cast<double>(expected) / 7);
    }
  }
}

}  // namespace
}  // namespace thresh::exact_sum_law
