// Projected stochastic gradient against its dense twin, with either ordered structure.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::projected_sgd_oracle {
namespace {

Dense twin(const Case& c, double radius) {
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * g[j];
    project(w, radius);
  });
}

RC_GTEST_PROP(ProjectedSgd, EqualsItsDenseTwin, ()) {
  Case c = any_case("projected-sgd");
  choose_batch(c);
  const double radius = any_between(0.01, 3);
  c.options.solver_options["radius"] = text(radius);
  c.options.solver_options["projection"] = *rc::gen::element<std::string>("buckets", "tree");
  expect_twin(c, twin(c, radius), Zeros::rounded);
}

// The shift grows with every step: it must not eat the digits of the weights.
TEST(ProjectedSgd, EqualsItsDenseTwinAfterManyProjections) {
  for (const char* projection : {"buckets", "tree"}) {
    Case c;
    c.data = random_problem(3'000, 10, 0.5, 7);
    c.options.solver = "projected-sgd";
    c.options.loss = Loss::hinge;
    c.options.schedule = Schedule::constant;
    c.options.eta = 0.3;
    c.options.passes = 2;
    c.options.solver_options = {{"radius", "0.7"}, {"projection", projection}};
    const Dense expected = twin(c, 0.7);
    expect_weights(fit(to_problem(c.data), c.options).model, expected.w, expected.b, 1e-10);
  }
}

// The second row takes back exactly what the first gave.
TEST(ProjectedSgd, ForgetsAWeightThatTheLastStepMadeZero) {
  Case c;
  c.data.features = 1;
  c.data.x = {{1}, {1}};
  c.data.y = {1, -1};
  c.options.solver = "projected-sgd";
  c.options.loss = Loss::hinge;
  c.options.schedule = Schedule::constant;
  c.options.order = Order::sequential;
  c.options.intercept = false;
  c.options.passes = 1;
  c.options.solver_options["radius"] = "10";
  EXPECT_TRUE(fit(to_problem(c.data), c.options).model.coefficients.empty());
}

}  // namespace
}  // namespace thresh::projected_sgd_oracle
