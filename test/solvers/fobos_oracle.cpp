// fobos against its dense twin: single rows, batches, all rows, and rounds.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::fobos_oracle {
namespace {

Dense twin(const Case& c, double gentle_steps = 0) {
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double t) {
    const double lambda = t <= gentle_steps ? c.options.lambda / 2 : c.options.lambda;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = soft(w[j] - eta * g[j], eta * lambda);
  });
}

RC_GTEST_PROP(Fobos, EqualsItsDenseTwinRowByRow, ()) {
  const Case c = any_case("fobos");
  expect_twin(c, twin(c));
}

RC_GTEST_PROP(Fobos, EqualsItsDenseTwinInBatches, ()) {
  Case c = any_case("fobos");
  choose_batch(c);
  expect_twin(c, twin(c));
}

RC_GTEST_PROP(Fobos, EqualsItsDenseTwinInRounds, ()) {
  Case c = any_case("fobos");
  choose_batch(c);
  c.options.solver_options["rounds"] = "true";
  const std::uint64_t rows = c.data.x.size();
  const std::uint64_t per_pass = c.batch == 0 ? 1 : (rows + c.batch - 1) / c.batch;
  const std::uint64_t steps = c.options.steps.value_or(c.options.passes * per_pass);
  expect_twin(c, twin(c, static_cast<double>(steps / 2)));
}

RC_GTEST_PROP(Fobos, EqualsItsDenseTwinOnNumbers, ()) {
  Case c = any_case_of_numbers("fobos", {Loss::poisson, Loss::huber, Loss::quantile});
  choose_batch(c);
  expect_twin(c, twin(c));
}

// Many rows between two occurrences of a feature: what it owes adds up over thousands of steps.
TEST(Fobos, EqualsItsDenseTwinAcrossManyBlocks) {
  Case c;
  c.data = random_problem(5'000, 30, 0.01, 7);
  c.options.solver = "fobos";
  c.options.loss = Loss::logistic;
  c.options.schedule = Schedule::sqrt;
  c.options.lambda = 1e-4;
  c.options.passes = 2;
  const Dense expected = twin(c);
  expect_weights(fit(to_problem(c.data), c.options).model, expected.w, expected.b, 1e-10);
}

}  // namespace
}  // namespace thresh::fobos_oracle
