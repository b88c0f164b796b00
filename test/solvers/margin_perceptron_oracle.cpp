// The perceptron against its naive dense twin, over random data, options, seeds and orders.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "data/feed/order.hpp"
#include "thresh/thresh.hpp"
#include "tools/problems.hpp"

namespace thresh::margin_perceptron_oracle {
namespace {

struct Settings {
  double tau, eta, lambda;
  Schedule schedule;
  std::uint64_t passes, seed, budget;
  Order order;
  bool intercept;
};

struct Dense {
  std::vector<double> w;
  double b = 0;
};

double soft(double v, double t) {
  return std::copysign(std::max(std::fabs(v) - t, 0.0), v);
}

// Algorithm 1 on dense vectors, as it reads in the paper, with the budget as we define it.
Dense twin(const DenseProblem& data, const Settings& s) {
  Dense now{std::vector<double>(data.features), 0};
  double t = 0;
  for (std::uint64_t pass = 1; pass <= s.passes; ++pass) {
    bool updated = false;
    for (const std::size_t i : visiting_order(s.order, s.seed, pass, data.x.size())) {
      ++t;
      double a = 0;
      for (std::size_t j = 0; j < data.features; ++j) a += now.w[j] * data.x[i][j];
      if (data.y[i] * (a + now.b) > s.tau) continue;
      const double eta = s.schedule == Schedule::constant ? s.eta
                         : s.schedule == Schedule::sqrt   ? s.eta / std::sqrt(t)
                                                          : s.eta / t;
      Dense next = now;
      for (std::size_t j = 0; j < data.features; ++j) {
        if (data.x[i][j] != 0) {
          next.w[j] = soft(now.w[j] + eta * data.s[i] * data.x[i][j] * data.y[i], s.lambda);
        }
      }
      if (s.intercept) next.b += eta * data.s[i] * data.y[i];
      const auto support =
          std::count_if(next.w.begin(), next.w.end(), [](double w) { return w != 0; });
      if (static_cast<std::uint64_t>(support) > s.budget) return now;
      now = next;
      updated = true;
    }
    if (!updated) break;
  }
  return now;
}

Options to_options(const Settings& s) {
  Options options;
  options.solver_options["tau"] = std::to_string(s.tau);
  options.eta = s.eta;
  options.lambda = s.lambda;
  options.schedule = s.schedule;
  options.passes = s.passes;
  options.seed = s.seed;
  options.order = s.order;
  options.intercept = s.intercept;
  options.features = s.budget;
  return options;
}

Settings any_settings(std::size_t features) {
  const auto pick = [](std::initializer_list<double> values) {
    return *rc::gen::elementOf(std::vector<double>(values));
  };
  Settings s{};
  s.tau = pick({0, 0.01, 0.5, 2});
  s.eta = pick({0.01, 0.1, 0.3, 1});
  s.lambda = pick({0, 1e-4, 0.02, 0.2});
  s.schedule = *rc::gen::element(Schedule::constant, Schedule::sqrt, Schedule::inverse);
  s.passes = *rc::gen::inRange<std::uint64_t>(1, 6);
  s.seed = *rc::gen::arbitrary<std::uint64_t>();
  s.budget = *rc::gen::inRange<std::uint64_t>(1, features + 2);
  s.order = *rc::gen::element(Order::shuffle, Order::sequential);
  s.intercept = *rc::gen::arbitrary<bool>();
  return s;
}

RC_GTEST_PROP(MarginPerceptron, EqualsItsDenseTwin, ()) {
  const DenseProblem data = any_problem();
  const Settings settings = any_settings(data.features);
  const Dense expected = twin(data, settings);
  const FitResult got = fit(to_problem(data), to_options(settings));
  RC_ASSERT(got.model.coefficients.size() <= settings.budget);
  RC_ASSERT(got.model.coefficients.size() == got.last.at.nonzeros);
  expect_weights(got.model, expected.w, expected.b, 1e-12);
}

// Enough rows for three windows, so that block and window boundaries count.
TEST(MarginPerceptron, EqualsItsDenseTwinAcrossManyBlocks) {
  for (const Order order : {Order::shuffle, Order::sequential}) {
    const DenseProblem data = random_problem(40'000, 30, 0.2, 7);
    const Settings s{0.1, 0.1, 0.01, Schedule::constant, 2, 11, 30, order, true};
    const Dense expected = twin(data, s);
    const FitResult got = fit(to_problem(data), to_options(s));
    expect_weights(got.model, expected.w, expected.b, 1e-12);
  }
}

TEST(MarginPerceptron, ReportsDivergenceInsteadOfWritingInfinities) {
  DenseProblem data = random_problem(20, 3, 1.0, 3);
  for (auto& x : data.x) x[0] = 1e308;
  Options options;
  options.eta = 10;
  const FitResult result = fit(to_problem(data), options);
  EXPECT_EQ(result.status.outcome, Outcome::diverged);
}

TEST(MarginPerceptron, CountsUpdatesAndDataAccesses) {
  // Rows 1 and 3 have a = 0, which predicts -1: wrong; row 2 has a margin of 0.1 > tau; row 4 has
  // a = 0.2 and is wrong. Three updates.
  DenseProblem data;
  data.features = 2;
  data.x = {{1, 0}, {1, 0}, {0, 1}, {1, 1}};
  data.y = {1, 1, 1, -1};
  data.s = {1, 1, 1, 1};
  Options options;
  options.order = Order::sequential;
  options.passes = 1;
  options.intercept = false;
  options.lambda = 0;
  const FitResult result = fit(to_problem(data), options);
  EXPECT_EQ(result.last.at.examples, 4U);
  EXPECT_EQ(result.last.at.updates, 3U);
  EXPECT_EQ(result.last.at.accesses, 5U + 4U);  // of all margins, of all updates
  EXPECT_EQ(result.last.at.progressive_error, 0.75);
}

}  // namespace
}  // namespace thresh::margin_perceptron_oracle
