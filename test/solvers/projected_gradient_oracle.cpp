// Projected gradient against its dense twin, with given steps and with a line search.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::projected_gradient_oracle {
namespace {

Dense moved(const Case& c, const Dense& from, const Dense& g, double eta, double radius) {
  Dense to = from;
  for (std::size_t j = 0; j < to.w.size(); ++j) to.w[j] -= eta * g.w[j];
  project(to.w, radius);
  if (c.options.intercept) to.b -= eta * g.b;
  return to;
}

Dense twin(const Case& c, double radius) {
  Dense now{Vector(c.data.features), 0};
  for (std::uint64_t t = 1; t <= c.options.steps.value_or(c.options.passes); ++t) {
    const Dense g = full_gradient(c.data, *c.options.loss, now);
    now = moved(c, now, g, eta_at(c.options, static_cast<double>(t)), radius);
  }
  return now;
}

// Halve until P falls by a tenth of what the slope promises; begin the next search twice as far.
Dense search_twin(const Case& c, double radius) {
  Dense now{Vector(c.data.features), 0};
  double eta = *c.options.eta;
  for (std::uint64_t t = 1; t <= c.options.steps.value_or(c.options.passes); ++t, eta *= 2) {
    const Dense g = full_gradient(c.data, *c.options.loss, now);
    const double before = mean_loss(c.data, *c.options.loss, now);
    for (; eta > 1e-300; eta /= 2) {
      const Dense to = moved(c, now, g, eta, radius);
      double promised = g.b * (to.b - now.b);
      for (std::size_t j = 0; j < to.w.size(); ++j) promised += g.w[j] * (to.w[j] - now.w[j]);
      if (mean_loss(c.data, *c.options.loss, to) > before + 0.1 * promised) continue;
      now = to;
      break;
    }
  }
  return now;
}

Case any_ball_case() {
  Case c = any_case("projected-gradient");
  if (c.options.steps) c.options.steps = *c.options.steps % 12 + 1;
  c.options.solver_options["projection"] =
      *rc::gen::element<std::string>("automatic", "sort", "pivot", "condat");
  return c;
}

RC_GTEST_PROP(ProjectedGradient, EqualsItsDenseTwin, ()) {
  Case c = any_ball_case();
  const double radius = any_between(0.01, 3);
  c.options.solver_options["radius"] = text(radius);
  expect_twin(c, twin(c, radius), Zeros::rounded);
}

// Three steps of a smooth loss with a wide ball stay away from the optimum, where rounding would
// decide how far a step goes.
RC_GTEST_PROP(ProjectedGradient, EqualsItsDenseTwinWithALineSearch, ()) {
  Case c = any_ball_case();
  c.options.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  c.options.eta = any_between(0.01, 20);
  c.options.passes = 3;
  c.options.steps.reset();
  const double radius = any_between(0.5, 3);
  c.options.solver_options["radius"] = text(radius);
  c.options.solver_options["line-search"] = "true";
  expect_twin(c, search_twin(c, radius), Zeros::rounded);
}

}  // namespace
}  // namespace thresh::projected_gradient_oracle
