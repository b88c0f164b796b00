// Truncated gradient against its dense twin: the form of every step, and that of Langford et al.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::truncated_gradient_oracle {
namespace {

Dense twin(const Case& c, double every, double ceiling) {
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double t) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] -= eta * g[j];
      if (std::fmod(t, every) == 0 && std::fabs(w[j]) <= ceiling) {
        w[j] = soft(w[j], every * eta * c.options.lambda);
      }
    }
  });
}

RC_GTEST_PROP(TruncatedGradient, EqualsItsDenseTwin, ()) {
  const Case c = any_case("truncated-gradient");
  expect_twin(c, twin(c, 1, INFINITY));
}

RC_GTEST_PROP(TruncatedGradient, EqualsItsDenseTwinWithRestsAndACeiling, ()) {
  Case c = any_case("truncated-gradient");
  const int every = *rc::gen::inRange(1, 8);
  const double ceiling = any_between(0.01, 1);
  c.options.solver_options = {{"every", std::to_string(every)}, {"ceiling", text(ceiling)}};
  expect_twin(c, twin(c, every, ceiling));
}

}  // namespace
}  // namespace thresh::truncated_gradient_oracle
