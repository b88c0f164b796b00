// smidas against its dense twin, which takes powers as they are written.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresh/error.hpp"
#include "tools/twins.hpp"

namespace thresh::smidas_oracle {
namespace {

// Eq. 12.
Vector inverse_link(const Vector& theta, double p) {
  double sum = 0;
  for (const double v : theta) sum += std::pow(std::fabs(v), p);
  const double norm = std::pow(sum, 1 / p);
  Vector w(theta.size());
  for (std::size_t j = 0; j < w.size() && norm > 0; ++j) {
    w[j] = sign(theta[j]) * std::pow(std::fabs(theta[j]), p - 1) / std::pow(norm, p - 2);
  }
  return w;
}

Dense twin(const Case& c, double p) {
  const bool plain = c.options.solver_options.contains("threshold");
  Vector theta(c.data.features);
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      theta[j] = soft(theta[j] - eta * g[j], plain ? c.options.lambda : eta * c.options.lambda);
    }
    w = inverse_link(theta, p);
  });
}

RC_GTEST_PROP(Smidas, EqualsItsDenseTwin, ()) {
  Case c = any_case("smidas");
  const double log_d = std::log(static_cast<double>(c.data.features));
  const int choice = *rc::gen::inRange(0, 3);
  double p = std::max(2.0, std::ceil(2 * log_d));
  if (choice == 1) c.options.solver_options["p"] = text(p = any_between(2, 9));
  if (choice == 2 && 2 * log_d >= 2) {
    c.options.solver_options["p"] = "2ln";
    p = 2 * log_d;
  }
  if (*rc::gen::inRange(0, 3) == 0) c.options.solver_options["threshold"] = "plain";
  expect_twin(c, twin(c, p));
}

TEST(Smidas, RefusesAPBelowTwo) {
  Case c;
  c.data = random_problem(20, 5, 0.5, 1);
  c.options.solver = "smidas";
  for (const char* p : {"1.5", "0.5ln", "-3"}) {
    c.options.solver_options["p"] = p;
    EXPECT_THROW(fit(to_problem(c.data), c.options), UsageError) << p;
  }
}

}  // namespace
}  // namespace thresh::smidas_oracle
