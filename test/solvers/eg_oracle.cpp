// eg against its dense twin, which keeps both vectors of logarithms and sums them every time.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::eg_oracle {
namespace {

// w+ and w- start at z/(2d); their logarithms keep whatever size the exponents have.
Dense twin(const Case& c, double radius) {
  const auto d = static_cast<double>(c.data.features);
  Vector up(c.data.features, std::log(radius / (2 * d)));
  Vector down = up;
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    double largest = -INFINITY;
    for (std::size_t j = 0; j < w.size(); ++j) {
      up[j] -= eta * g[j];
      down[j] += eta * g[j];
      largest = std::max({largest, up[j], down[j]});
    }
    double mass = 0;
    for (const double v : up) mass += std::exp(v - largest);
    for (const double v : down) mass += std::exp(v - largest);
    for (std::size_t j = 0; j < w.size(); ++j) {
      up[j] += std::log(radius / mass) - largest;
      down[j] += std::log(radius / mass) - largest;
      w[j] = std::exp(up[j]) - std::exp(down[j]);
    }
  });
}

RC_GTEST_PROP(Eg, EqualsItsDenseTwin, ()) {
  Case c = any_case("eg");
  choose_batch(c);
  const double radius = any_between(0.01, 5);
  c.options.solver_options["radius"] = text(radius);
  expect_twin(c, twin(c, radius), Zeros::rounded);
}

// Exponents of hundreds and thousands, up and down again: nothing overflows or cancels. The slopes
// of hinge do not depend on the last digits of a margin.
RC_GTEST_PROP(Eg, EqualsItsDenseTwinWhereExponentsAreHuge, ()) {
  Case c = any_case("eg", {Loss::hinge});
  choose_batch(c);
  c.options.eta = any_between(20, 2000);
  const double radius = any_between(0.01, 5);
  c.options.solver_options["radius"] = text(radius);
  const Dense expected = twin(c, radius);
  const FitResult got = fit(to_problem(c.data), c.options);
  Vector w(c.data.features);
  for (const Coefficient& each : got.model.coefficients) w.at(each.index - 1) = each.weight;
  // A sum of exponents of thousands is right to about 1e-12 of a unit.
  for (std::size_t j = 0; j < w.size(); ++j) RC_ASSERT(std::fabs(w[j] - expected.w[j]) < 1e-8);
}

// One feature whose exponent goes to 1000 and back to 0: its weight is 0 then, not 0/0.
TEST(Eg, ComesBackFromAStepThatWouldOverflow) {
  Case c;
  c.data.features = 1;
  c.data.x = {{1}, {1}};
  c.data.y = {1, -1};
  c.options.solver = "eg";
  c.options.loss = Loss::hinge;
  c.options.schedule = Schedule::constant;
  c.options.order = Order::sequential;
  c.options.eta = 1000;
  c.options.passes = 1;
  c.options.intercept = false;
  c.options.solver_options["radius"] = "0.5";
  const FitResult got = fit(to_problem(c.data), c.options);
  EXPECT_EQ(got.status.outcome, Outcome::passes_spent);
  EXPECT_TRUE(got.model.coefficients.empty());
}

TEST(Eg, KeepsItsMassAfterAStepThatWouldOverflow) {
  Case c;
  c.data.features = 1;
  c.data.x = {{1}, {-1}};
  c.data.y = {1, -1};
  c.options.solver = "eg";
  c.options.loss = Loss::hinge;
  c.options.schedule = Schedule::constant;
  c.options.eta = 1000;
  c.options.passes = 1;
  c.options.intercept = false;
  c.options.solver_options["radius"] = "0.5";
  const Model model = fit(to_problem(c.data), c.options).model;
  ASSERT_EQ(model.coefficients.size(), 1U);
  EXPECT_DOUBLE_EQ(model.coefficients[0].weight, 0.5);
}

}  // namespace
}  // namespace thresh::eg_oracle
