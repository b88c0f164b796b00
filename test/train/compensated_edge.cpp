// Sums with twice the digits: exact where a plain sum is not, and harmless elsewhere.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "solvers/catalog.hpp"
#include "sparse/compensated_dot.hpp"
#include "sparse/row_loops.hpp"
#include "tools/every_solver.hpp"

namespace thresh::compensated_edge {
namespace {

// 113 bits: what long double is on ARM, but not on x86-64.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

// In 113 bits sums of few terms are all but exact.
RC_GTEST_PROP(CompensatedDot, IsTheRoundedExactDot, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto n = *rc::gen::inRange<std::size_t>(0, 40);
  std::vector<double> weights, values;
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < n; ++i) {
    at.push_back(static_cast<std::uint32_t>(i));
    weights.push_back(random.normal() * std::exp(10 * random.normal()));
    values.push_back(random.normal());
    // Cancels with the one before but for the last digits.
    if (i % 2 == 1) {
      weights[i] = weights[i - 1];
      values[i] = -values[i - 1] * (1 + 1e-15 * static_cast<double>(random.below(4)));
    }
  }
  Quad exact = 0;
  Quad size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Quad product = static_cast<Quad>(weights[i]) * static_cast<Quad>(values[i]);
    exact += product;
    size += product < 0 ? -product : product;
  }
  const double got = compensated_dot(weights.data(), at.data(), values.data(), n);
  const auto expected = static_cast<double>(exact);
  const double bound = 1e-30 * static_cast<double>(size) + 2.3e-16 * std::fabs(expected);
  RC_ASSERT(std::fabs(got - expected) <= bound);
}

TEST(CompensatedDot, OverflowIsInfiniteAndNotNaN) {
  const double weights[] = {1e200, 1};
  const double values[] = {1e200, 1};
  const std::uint32_t at[] = {0, 1};
  EXPECT_EQ(compensated_dot(weights, at, values, 2), std::numeric_limits<double>::infinity());
}

TEST(Compensated, ChangesNoModelByMoreThanRounding) {
  for_each_way([](const SolverInfo& info, Options options) {
    if (info.name == "gcd") return;  // ties go another way
    const Model plain = fit(to_problem(sparse_rows()), options).model;
    options.compensated = true;
    const Model exact = fit(to_problem(sparse_rows()), options).model;
    EXPECT_TRUE(exact.options.at("compensated").flag());
    const std::vector<double> a = weights_of(plain, 40);
    const std::vector<double> b = weights_of(exact, 40);
    for (std::size_t j = 0; j < 40; ++j) EXPECT_NEAR(a[j], b[j], 1e-6);
  });
}

}  // namespace
}  // namespace thresh::compensated_edge
