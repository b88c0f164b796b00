// Regression: every solver that knows squared loss learns numbers, and what it traces is their
// RMSE.

#include <gtest/gtest.h>

#include "thresh/error.hpp"
#include "tools/twins.hpp"

namespace thresh::regression_oracle {
namespace {

// y = 2 x1 - x4 + 5, and a little noise.
DenseProblem numbers() {
  DenseProblem data = random_problem(200, 6, 0.7, 12);
  Random random(1);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    data.y[i] = 2 * data.x[i][0] - data.x[i][3] + 5 + 0.1 * random.normal();
  }
  return data;
}

bool knows_squared_loss(const SolverInfo& info) {
  return std::count(info.losses.begin(), info.losses.end(), Loss::squared) > 0;
}

Options regression_options(const SolverInfo& info) {
  Options options;
  options.solver = info.name;
  options.task = Task::regression;
  options.passes = 300;
  options.eta = 0.05;
  options.schedule = Schedule::constant;
  options.trace = TraceAt{TraceAt::Kind::passes, 0};
  for (const OptionInfo& option : info.options) {
    if (option.name == "radius") options.solver_options["radius"] = "4";
    if (option.name == "gamma" && info.name == "rda") options.solver_options["gamma"] = "30";
  }
  if (info.budget == BudgetUse::required) options.features = 2;
  if (info.name == "ftrl") options.solver_options["alpha"] = "0.5";
  return options;
}

TEST(Regression, EverySolverThatCanLearnsNumbers) {
  const DenseProblem data = numbers();
  for (const SolverInfo& info : solvers()) {
    SCOPED_TRACE(info.name);
    const Options options = regression_options(info);
    if (!knows_squared_loss(info)) {
      EXPECT_THROW(fit(to_problem(data), options), UsageError);
      continue;
    }
    const FitResult got = fit(to_problem(data), options);
    EXPECT_EQ(got.model.task, Task::regression);
    double squares = 0;
    for (const auto& x : data.x) {
      std::vector<std::uint64_t> indices;
      Vector values;
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (x[j] == 0) continue;
        indices.push_back(j + 1);
        values.push_back(x[j]);
      }
      const double a = got.model.margin(indices, values);
      EXPECT_EQ(got.model.prediction(a), a);
      const double miss = a - data.y[static_cast<std::size_t>(&x - data.x.data())];
      squares += miss * miss;
    }
    const double rmse = std::sqrt(squares / static_cast<double>(data.x.size()));
    EXPECT_LT(rmse, 0.6);  // predicting the mean is off by 1.9
    EXPECT_NEAR(*got.last.train_error, rmse, 1e-10);
    EXPECT_FALSE(got.model.probability(1));
  }
}

TEST(Regression, GoesWithSquaredLossOnly) {
  Options options;
  options.solver = "fobos";
  options.task = Task::regression;
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    options.loss = loss;
    EXPECT_THROW(fit(to_problem(numbers()), options), UsageError) << name_of(loss);
  }
}

// Targets are taken as they are, not as classes.
TEST(Regression, FobosEqualsItsDenseTwin) {
  Case c;
  c.data = numbers();
  c.options.solver = "fobos";
  c.options.task = Task::regression;
  c.options.loss = Loss::squared;
  c.options.schedule = Schedule::sqrt;
  c.options.lambda = 0.01;
  c.options.passes = 3;
  const Dense expected = run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] = soft(w[j] - eta * g[j], eta * c.options.lambda);
    }
  });
  expect_weights(fit(to_problem(c.data), c.options).model, expected.w, expected.b, 1e-10);
}

}  // namespace
}  // namespace thresh::regression_oracle
