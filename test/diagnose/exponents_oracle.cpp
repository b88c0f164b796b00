// Exponents against frexp, and what vanishes in sums.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "diagnose/findings.hpp"
#include "tools/problems.hpp"

namespace thresh::exponents_oracle {
namespace {

RC_GTEST_PROP(Diagnose, ExponentsAreThoseOfFrexp, (std::vector<double> numbers)) {
  Model model;
  int largest = -5000;
  double sum = 0;
  for (const double number : numbers) {
    if (number == 0 || !std::isfinite(number)) continue;
    model.coefficients.push_back({model.coefficients.size() + 1, number, ""});
    int exponent = 0;
    std::frexp(number, &exponent);  // of a fraction in [1/2, 1)
    largest = std::max(largest, exponent - 1);
    sum += exponent - 1;
  }
  const Exponents exponents = exponents_of(model);
  const auto n = static_cast<double>(model.coefficients.size());
  RC_ASSERT(exponents.total == model.coefficients.size());
  RC_PRE(n > 0);
  std::uint64_t within = 0;
  double squares = 0;
  for (const Coefficient& c : model.coefficients) {
    int exponent = 0;
    std::frexp(c.weight, &exponent);
    within += exponent - 1 >= largest - 51;
    squares += std::pow(exponent - 1 - sum / n, 2);
  }
  RC_ASSERT(exponents.counts.rbegin()->first == largest);
  RC_ASSERT(exponents.within == within);
  RC_ASSERT(std::fabs(exponents.mean() - sum / n) <= 1e-9 * (1 + std::fabs(sum / n)));
  RC_ASSERT(std::fabs(exponents.deviation() - std::sqrt(squares / n)) <= 1e-6);
}

TEST(Diagnose, ExponentsOfClassesHaveTheirOwnLargest) {
  Model model;
  model.classes = {{0, 0, {{1, 0x1p0, ""}, {2, 0x1p-51, ""}, {3, 0x1p-52, ""}}},
                   {1, 0, {{1, 0x1p-100, ""}, {2, 0x1p-1074, ""}}}};
  const Exponents exponents = exponents_of(model);
  EXPECT_EQ(exponents.total, 5U);
  EXPECT_EQ(exponents.within, 3U);
  EXPECT_EQ(exponents.counts.begin()->first, -1074);
}

TEST(Diagnose, TermsThatVanishBesideTheLargest) {
  DenseProblem data;
  data.features = 6;
  data.x = {{1, 0x1p-24, 0x1p-53, 0x1p-23, 0x1p-52, 0}, {0, 0, 0, 0, 0, 4}};
  data.y = {1, -1};
  const Problem problem = to_problem(data);
  const ValueStats equal = measure_values(*problem.train, nullptr, *problem.features, 4);
  EXPECT_EQ(equal.in_double.terms, 6U);
  EXPECT_EQ(equal.in_double.lost, 1U);  // 1 + 2^-53 rounds to even
  EXPECT_EQ(equal.in_float.lost, 3U);   // all but 1, 2^-23 and the 4 of the other row
  EXPECT_DOUBLE_EQ(equal.in_double.mass, (5 + 0x1p-24 + 0x1p-53 + 0x1p-23 + 0x1p-52) / 4);
  EXPECT_DOUBLE_EQ(equal.in_double.lost_mass, 0x1p-53 / 4);

  Model model;  // a feature without a weight takes no part, and small values may weigh much
  model.coefficients = {{1, 1, ""}, {2, 0x1p-40, ""}, {3, 0x1p53, ""}};
  const ValueStats weighed = measure_values(*problem.train, &model, *problem.features, 4);
  EXPECT_EQ(weighed.in_double.terms, 3U);
  EXPECT_EQ(weighed.in_double.lost, 1U);
  EXPECT_EQ(weighed.in_float.lost, 1U);
}

// What a trace says of its weights is what diagnose says of the model.
RC_GTEST_PROP(Diagnose, ExponentsOfTheTraceAreThoseOfTheModel, ()) {
  DenseProblem data = any_problem();
  const bool classes = *rc::gen::arbitrary<bool>() && data.x.size() > 3;
  for (std::size_t i = 0; classes && i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  Options options;
  options.solver = "smidas";
  options.solver_options["p"] = "30";  // far apart
  options.passes = *rc::gen::inRange<std::uint64_t>(1, 4);
  options.trace = TraceAt{};
  const FitResult result = fit(to_problem(data), options);
  RC_ASSERT(result.trace.size() == options.passes);
  const Exponents exponents = exponents_of(result.model);
  const auto& traced = result.last.exponents;
  RC_ASSERT(traced.has_value() == (exponents.total > 0));
  if (!traced) return;
  const auto total = static_cast<double>(exponents.total);
  RC_ASSERT(traced->within == static_cast<double>(exponents.within) / total);
  RC_ASSERT(std::fabs(traced->mean - exponents.mean()) <= 1e-9 * (1 + std::fabs(traced->mean)));
  RC_ASSERT(std::fabs(traced->deviation - exponents.deviation()) <= 1e-4);
}

}  // namespace
}  // namespace thresh::exponents_oracle
