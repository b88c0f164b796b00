// rda against its dense twin.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::rda_oracle {
namespace {

Dense twin(const Case& c, double gamma) {
  Vector sum(c.data.features);
  return run_batches(c, [&](Vector& w, const Vector& g, double, double t) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      sum[j] += g[j];
      w[j] = -std::sqrt(t) / gamma * soft(sum[j] / t, c.options.lambda);
    }
  });
}

RC_GTEST_PROP(Rda, EqualsItsDenseTwin, ()) {
  Case c = any_case("rda");
  // sqrt(t)/gamma is the step: the steeper losses need a larger gamma.
  const double gamma = any_between(1, 3) / std::min(1.0, *c.options.eta);
  c.options.solver_options["gamma"] = text(gamma);
  expect_twin(c, twin(c, gamma));
}

// The second row takes back exactly what the first gave.
TEST(Rda, ForgetsAWeightWhoseGradientsCancelled) {
  Case c;
  c.data.features = 1;
  c.data.x = {{1}, {1}};
  c.data.y = {1, -1};
  c.options.solver = "rda";
  c.options.loss = Loss::hinge;
  c.options.order = Order::sequential;
  c.options.intercept = false;
  c.options.passes = 1;
  EXPECT_TRUE(fit(to_problem(c.data), c.options).model.coefficients.empty());
}

}  // namespace
}  // namespace thresh::rda_oracle
