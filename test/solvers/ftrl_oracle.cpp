// ftrl against its dense twin.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::ftrl_oracle {
namespace {

Dense twin(const Case& c, double alpha, double beta, double l2) {
  const double lambda = c.options.lambda;
  Vector z(c.data.features);
  Vector n(c.data.features);
  return run_batches(c, [&](Vector& w, const Vector& g, double, double) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double sigma = (std::sqrt(n[j] + g[j] * g[j]) - std::sqrt(n[j])) / alpha;
      z[j] += g[j] - sigma * w[j];
      n[j] += g[j] * g[j];
      w[j] = std::fabs(z[j]) <= lambda
                 ? 0
                 : -(z[j] - lambda * sign(z[j])) / ((beta + std::sqrt(n[j])) / alpha + l2);
    }
  });
}

RC_GTEST_PROP(Ftrl, EqualsItsDenseTwin, ()) {
  Case c = any_case("ftrl");
  const double alpha = any_between(0.01, 1);
  const double beta = any_between(0, 2);
  const double l2 = *rc::gen::element(0, 1) * any_between(0, 2);
  c.options.lambda *= *rc::gen::element(1, 20);  // acts on the sum of gradients
  c.options.solver_options = {{"alpha", text(alpha)}, {"beta", text(beta)}, {"l2", text(l2)}};
  expect_twin(c, twin(c, alpha, beta, l2));
}

RC_GTEST_PROP(Ftrl, EqualsItsDenseTwinOnNumbers, ()) {
  Case c = any_case_of_numbers("ftrl", {Loss::poisson, Loss::huber, Loss::quantile});
  const double alpha = any_between(0.01, 0.1);
  c.options.solver_options = {{"alpha", text(alpha)}, {"beta", "1"}, {"l2", "0"}};
  expect_twin(c, twin(c, alpha, 1, 0));
}

}  // namespace
}  // namespace thresh::ftrl_oracle
