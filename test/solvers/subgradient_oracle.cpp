// The subgradient method against its dense twins: all rows with the best iterate, and batches.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/error_of.hpp"
#include "tools/twins.hpp"

namespace thresh::subgradient_oracle {
namespace {

void move(const Case& c, Vector& w, const Vector& g, double eta) {
  for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * (g[j] + c.options.lambda * sign(w[j]));
}

Dense batches_twin(const Case& c) {
  return run_batches(c,
                     [&](Vector& w, const Vector& g, double eta, double) { move(c, w, g, eta); });
}

Dense full_twin(const Case& c) {
  const Options& o = c.options;
  const auto objective = [&](const Dense& at) {
    return mean_loss(c.data, *o.loss, at) + o.lambda * l1_norm(at.w);
  };
  Dense now{Vector(c.data.features), 0};
  Dense best = now;
  for (std::uint64_t t = 1; t <= o.steps.value_or(o.passes); ++t) {
    const Dense g = full_gradient(c.data, *o.loss, now);
    const double eta = eta_at(o, static_cast<double>(t));
    move(c, now.w, g.w, eta);
    if (o.intercept) now.b -= eta * g.b;
    if (objective(now) < objective(best)) best = now;
  }
  return best;
}

// The mean of the iterates of a run on the rows themselves.
Dense rows_average(Case c) {
  c.options.solver_options.erase("gram");
  const Model model = fit(plain_problem(c.data), c.options).model;
  Dense mean{Vector(c.data.features), model.intercept};
  for (const Coefficient& w : model.coefficients) mean.w.at(w.index - 1) = w.weight;
  return mean;
}

RC_GTEST_PROP(Subgradient, EqualsItsDenseTwinInBatches, ()) {
  Case c = any_case("subgradient");
  choose_batch(c, 1);
  expect_twin(c, batches_twin(c), Zeros::rounded);
}

RC_GTEST_PROP(Subgradient, GivesTheBestIterateOfItsDenseTwin, ()) {
  Case c = any_case("subgradient");
  *c.options.eta *= *rc::gen::element(1, 4);  // some steps go uphill
  c.options.passes = *rc::gen::inRange<std::uint64_t>(1, 12);
  if (c.options.steps) c.options.steps = *c.options.steps % 12 + 1;
  expect_twin(c, full_twin(c), Zeros::rounded);
}

RC_GTEST_PROP(Subgradient, FromStoredProductsGivesTheSame, ()) {
  Case c = any_case("subgradient", {Loss::squared});
  c.options.passes = *rc::gen::inRange<std::uint64_t>(1, 12);
  if (c.options.steps) c.options.steps = *c.options.steps % 12 + 1;
  c.options.solver_options["gram"] = "true";
  if (*rc::gen::arbitrary<bool>()) c.options.iterate = Iterate::average;
  c.options.iterate == Iterate::last ? expect_twin(c, full_twin(c), Zeros::rounded)
                                     : expect_twin(c, rows_average(c), Zeros::rounded);
}

TEST(Subgradient, StoredProductsAreRefusedWhereTheyCannotBe) {
  const DenseProblem data = random_problem(30, 50, 0.8, 4);
  Options options;
  options.solver = "subgradient";
  options.solver_options["gram"] = "true";
  const auto refusal = [&] { return refusal_of([&] { fit(to_problem(data), options); }); };
  EXPECT_EQ(refusal(), "--gram requires --loss squared");
  options.loss = Loss::squared;
  EXPECT_EQ(refusal(), "");
  options.memory = 51 * 51 * 8;
  EXPECT_EQ(refusal(), "");
  --options.memory;
  EXPECT_EQ(refusal(),
            "--gram needs 0.0208 MB for the products of 51 columns, --memory is 0.0208 MB");
  options.memory = 1 << 20;
  options.compensated = true;
  EXPECT_EQ(refusal(), "--gram and --compensated exclude each other");
  options.compensated = false;
  options.solver_options["batch"] = "5";
  EXPECT_EQ(refusal(), "--gram requires steps over all rows (--batch 0)");
}

// A divergence is found and explained without margins at hand.
TEST(Subgradient, StoredProductsDivergeAsRowsDo) {
  DenseProblem data = random_problem(30, 5, 0.8, 4);
  for (auto& row : data.x) row[2] *= 100;
  Options options;
  options.solver = "subgradient";
  options.loss = Loss::squared;
  options.eta = 1;
  options.passes = 50;
  options.on_divergence = OnDivergence::stop;
  const FitResult rows = fit(to_problem(data), options);
  options.solver_options["gram"] = "true";
  const FitResult products = fit(to_problem(data), options);
  EXPECT_EQ(rows.status.outcome, Outcome::diverged);
  EXPECT_EQ(products.status.outcome, Outcome::diverged);
  ASSERT_EQ(products.divergences.size(), 1U);
  EXPECT_EQ(products.divergences[0].row, rows.divergences[0].row);
  EXPECT_EQ(products.divergences[0].feature, rows.divergences[0].feature);
}

TEST(Subgradient, SchedulesByDefaultAsItIsUsed) {
  Case c;
  c.data = random_problem(30, 5, 0.8, 4);
  c.options.solver = "subgradient";
  c.options.loss = Loss::logistic;
  for (const std::uint64_t batch : {0, 4}) {
    c.batch = batch;
    c.options.solver_options["batch"] = std::to_string(batch);
    c.options.schedule.reset();
    const Model by_default = fit(to_problem(c.data), c.options).model;
    c.options.schedule = batch == 0 ? Schedule::constant : Schedule::inverse;
    const Dense expected = batch == 0 ? full_twin(c) : batches_twin(c);
    expect_weights(by_default, expected.w, expected.b, 1e-10);
  }
}

}  // namespace
}  // namespace thresh::subgradient_oracle
