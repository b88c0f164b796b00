// grades against its dense twin.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::grades_oracle {
namespace {

Dense twin(const Case& c, double gamma) {
  Dense now{Vector(c.data.features), 0};
  for (std::uint64_t t = 1; t <= c.options.steps.value_or(c.options.passes); ++t) {
    const Dense g = gradient(c.data, Loss::squared, now, all_rows(c.data), 1);  // X'(Xw - y)
    for (std::size_t j = 0; j < now.w.size(); ++j) now.w[j] -= g.w[j] / gamma;
    keep_only(now.w, *c.options.features);
    if (c.options.intercept) now.b -= g.b / gamma;
  }
  return now;
}

// The trace of X'X is at least its largest eigenvalue.
double trace_of_squares(const DenseProblem& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    sum += data.s[i];
    for (const double x : data.x[i]) sum += data.s[i] * x * x;
  }
  return sum;
}

Case any_grades_case() {
  Case c = any_case("grades", {Loss::squared});
  c.options.features = *rc::gen::inRange<std::uint64_t>(1, c.data.features + 2);
  if (c.options.steps) c.options.steps = *c.options.steps % 20 + 1;
  return c;
}

RC_GTEST_PROP(Grades, EqualsItsDenseTwin, ()) {
  Case c = any_grades_case();
  const double gamma = any_between(0.5, 2) * trace_of_squares(c.data);
  c.options.solver_options["gamma"] = text(gamma);
  expect_twin(c, twin(c, gamma), Zeros::rounded);
}

// Without a gamma the steps are safe: the loss never grows.
RC_GTEST_PROP(Grades, NeverGoesUphillOnItsOwn, ()) {
  Case c = any_grades_case();
  c.options.steps.reset();
  c.options.passes = 10;
  c.options.trace = TraceAt{TraceAt::Kind::passes, 0};
  const FitResult got = fit(to_problem(c.data), c.options);
  double before = INFINITY;
  for (const TracePoint& point : got.trace) {
    RC_ASSERT(*point.objective <= before * (1 + 1e-12) + 1e-14);
    before = *point.objective;
  }
}

}  // namespace
}  // namespace thresh::grades_oracle
