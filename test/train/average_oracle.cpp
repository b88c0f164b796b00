// --iterate average is the mean of the weights after every step. The slow twin of each solver is
// the solver itself, run anew for every number of steps: nothing is averaged lazily there.

#include <gtest/gtest.h>

#include "sparse/random.hpp"
#include "sparse/weight_average.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"
#include "tools/twins.hpp"

namespace thresh::average_oracle {
namespace {

Dense weights(const Model& model) {
  return {weights_of(model, 40), model.intercept};
}

// Adds up the models after 1, 2, ... steps.
Dense mean_of_all(const DenseProblem& data, Options options, std::uint64_t steps,
                  const Model* from = nullptr) {
  Dense sum{Vector(40), 0};
  options.iterate = Iterate::last;
  for (options.steps = 1; *options.steps <= steps; ++*options.steps) {
    const Dense now = weights(fit(plain_problem(data), options, from).model);
    for (std::size_t j = 0; j < sum.w.size(); ++j) sum.w[j] += now.w[j] / double(steps);
    sum.b += now.b / double(steps);
  }
  return sum;
}

void expect_near(const Dense& got, const Dense& expected, double tolerance = 1e-12) {
  for (std::size_t j = 0; j < got.w.size(); ++j) {
    EXPECT_NEAR(got.w[j], expected.w[j], tolerance) << "feature " << j + 1;
  }
  EXPECT_NEAR(got.b, expected.b, tolerance);
}

void expect_average(const DenseProblem& data, Options options, const Model* from = nullptr) {
  options.steps = 60;
  options.iterate = Iterate::average;
  const FitResult got = fit(plain_problem(data), options, from);
  const std::uint64_t steps = std::min<std::uint64_t>(*options.steps, got.last.at.examples);
  EXPECT_EQ(got.last.at.nonzeros, got.model.coefficients.size());
  expect_near(weights(got.model), mean_of_all(data, options, steps, from));
}

TEST(Average, IsTheMeanOfTheModelsAfterAllSteps) {
  const DenseProblem data = sparse_rows(50);
  std::size_t tried = 0;
  for_each_way([&](const SolverInfo& info, Options options) {
    if (info.budget == BudgetUse::required || info.name == "eg" || info.name == "l1") return;
    if (info.name == "subgradient" && !options.solver_options.contains("batch")) return;
    if (info.name == "subgradient" && options.solver_options["batch"] == "0") return;
    for (const Schedule schedule : {Schedule::constant, Schedule::sqrt, Schedule::inverse}) {
      options.schedule = schedule;
      options.eta = 0.7;
      expect_average(data, options);
      ++tried;
    }
  });
  EXPECT_GT(tried, 30U);
}

TEST(Average, HoldsForTheOptionsOfShrinkage) {
  const DenseProblem data = sparse_rows(50);
  Options options;
  options.solver = "truncated-gradient";
  options.lambda = 0.05;
  options.dim = 40;
  options.solver_options = {{"every", "3"}, {"ceiling", "0.11"}};
  expect_average(data, options);
  options.solver = "fobos";
  options.solver_options = {{"rounds", "true"}};
  options.iterate = Iterate::average;
  options.steps = 60;  // decides where the rounds change: no shorter run is a twin
  Case c{data, options, 1};
  c.options.loss = Loss::logistic;
  c.options.schedule = Schedule::sqrt;
  Dense sum{Vector(40), 0};
  run_batches(c, [&](Vector& w, const Vector& g, double eta, double t) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] = soft(w[j] - eta * g[j], eta * options.lambda * (t <= 30 ? 0.5 : 1));
      sum.w[j] += w[j] / 60;
    }
  });
  EXPECT_EQ(fit(plain_problem(data), options).last.at.examples, 60U);
  const Dense got = weights(fit(plain_problem(data), options).model);
  sum.b = got.b;
  expect_near(got, sum);
}

// Every step moves the shift, and the raw values are taken anew many times.
TEST(Average, SurvivesRebasingOfTheBall) {
  const DenseProblem data = random_problem(50, 40, 0.5, 7);
  Options options;
  options.solver = "projected-sgd";
  options.loss = Loss::hinge;
  options.schedule = Schedule::constant;
  options.eta = 3;
  options.solver_options["radius"] = "0.3";
  expect_average(data, options);
}

TEST(Average, LeavesOutTheModelThatARunStartsFrom) {
  const DenseProblem data = sparse_rows(50);
  for (const char* solver : {"margin-perceptron", "truncated-gradient", "fobos", "ftrl", "smidas",
                             "projected-sgd", "projected-gradient", "cd", "scd", "gcd"}) {
    SCOPED_TRACE(solver);
    Options options = options_for(solver_named(solver));
    const Model from = fit(plain_problem(data), options).model;
    ASSERT_GT(from.nonzeros(), 3U);
    options.seed = 2;
    expect_average(data, options, &from);
  }
}

TEST(Average, OfFullSubgradientsIsOfTheStepsNotOfTheBest) {
  const DenseProblem data = sparse_rows(50);
  Options options = options_for(solver_named("subgradient"));
  options.loss = Loss::squared;
  options.passes = 40;
  options.eta = 0.5;
  options.iterate = Iterate::average;
  Case c{data, options, 0};
  c.options.schedule = Schedule::constant;
  Dense sum{Vector(40), 0};
  Dense at{Vector(40), 0};
  for (int t = 0; t < 40; ++t) {
    const Dense g = full_gradient(data, Loss::squared, at);
    for (std::size_t j = 0; j < 40; ++j) {
      at.w[j] -= 0.5 * (g.w[j] + options.lambda * sign(at.w[j]));
      sum.w[j] += at.w[j] / 40;
    }
    at.b -= 0.5 * g.b;
    sum.b += at.b / 40;
  }
  expect_near(weights(fit(plain_problem(data), options).model), sum);
}

TEST(Average, HoldsForEveryClass) {
  DenseProblem data = sparse_rows(60);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = double(i % 3);
  for (const Multiclass multiclass : {Multiclass::one_vs_rest, Multiclass::softmax}) {
    for (const char* solver : {"fobos", "projected-gradient"}) {
      SCOPED_TRACE(solver);
      Options options = options_for(solver_named(solver));
      options.multiclass = multiclass;
      options.steps = 30;
      options.iterate = Iterate::average;
      const Model got = fit(plain_problem(data), options).model;
      options.iterate = Iterate::last;
      std::vector<Dense> sums(3, Dense{Vector(40), 0});
      for (options.steps = 1; *options.steps <= 30; ++*options.steps) {
        const Model now = fit(plain_problem(data), options).model;
        for (std::size_t c = 0; c < 3; ++c) {
          for (const Coefficient& w : now.classes[c].coefficients) {
            sums[c].w[w.index - 1] += w.weight / 30;
          }
        }
      }
      for (std::size_t c = 0; c < 3; ++c) {
        Vector w(40);
        for (const Coefficient& each : got.classes[c].coefficients) {
          w[each.index - 1] = each.weight;
        }
        expect_near({w, 0}, sums[c]);
      }
    }
  }
}

// A look at the average on the way changes nothing, and a trace is about the averages.
TEST(Average, IsTracedAndGoesOn) {
  const DenseProblem data = sparse_rows(50);
  for (const char* solver : {"truncated-gradient", "rda", "projected-sgd", "cd", "smidas"}) {
    SCOPED_TRACE(solver);
    Options options = options_for(solver_named(solver));
    options.steps = 60;
    options.iterate = Iterate::average;
    const FitResult alone = fit(plain_problem(data), options);
    options.trace = TraceAt{TraceAt::Kind::examples, 20};
    const FitResult traced = fit(plain_problem(data), options);
    EXPECT_EQ(weights(alone.model).w, weights(traced.model).w);
    ASSERT_EQ(traced.trace.size(), 3U);
    options.steps = 20;
    options.trace = TraceAt{};
    EXPECT_EQ(*fit(plain_problem(data), options).last.objective, *traced.trace[0].objective);
  }
}

TEST(Average, IsRefusedWhereItCannotBe) {
  const DenseProblem data = sparse_rows(50);
  const auto refused = [&](const char* solver, std::optional<std::uint64_t> features) {
    Options options = options_for(solver_named(solver));
    options.iterate = Iterate::average;
    if (features) options.features = features;
    return refusal_of([&] { fit(plain_problem(data), options); });
  };
  EXPECT_EQ(refused("fobos", 5), "--iterate average does not support a feature budget");
  EXPECT_EQ(refused("l0-sgd", {}),
            "--iterate average does not support a feature budget, which l0-sgd always has");
  EXPECT_EQ(refused("eg", {}),
            "eg does not support --iterate average: every step divides all weights by a new total, "
            "whose sums would cancel");
  EXPECT_EQ(refused("l1", {}),
            "l1 does not support --iterate average: it returns the minimum, not a step on the way");
}

// A million steps of one feature among few: sums that grow must not eat the digits.
TEST(Average, KeepsItsDigitsOverManySteps) {
  const auto features = make_feature_map();
  WeightAverage average(*features);
  average.ensure_slots(2);
  Random random(3);
  double total = 0, weight = 0, sum = 0;
  constexpr int kSteps = 1'000'000;
  for (int t = 0; t < kSteps; ++t) {
    if (t % 3 == 0) {
      weight += random.normal();
      average.fall_from(1, weight == 0 ? 0 : weight + std::copysign(total, weight));
    }
    total += 0.01;
    weight = soft(weight, 0.01);
    average.step(0, 1, total, total);
    sum += weight / kSteps;
  }
  EXPECT_NEAR(average.at(1), sum, 1e-9 * std::fabs(sum));
  EXPECT_EQ(average.at(0), 0);
}

}  // namespace
}  // namespace thresh::average_oracle
