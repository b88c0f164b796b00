// budget against its dense twin, and what it promises.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "oracle/twins.hpp"

namespace thresh {
namespace {

double typical_length(const DenseProblem& data) {
  double sum = 0;
  for (const Vector& x : data.x) {
    for (const double value : x) sum += value * value;
  }
  return std::sqrt(sum / static_cast<double>(data.x.size()));
}

// The magnitude of which only `allowed` are larger.
double threshold(const Vector& z, std::size_t allowed) {
  Vector magnitudes;
  for (const double v : z) magnitudes.push_back(std::fabs(v));
  std::sort(magnitudes.rbegin(), magnitudes.rend());
  return allowed < magnitudes.size() ? magnitudes[allowed] : 0;
}

Dense twin(const Case& c, double k) {
  const double length = typical_length(c.data);
  const double unit = length > 0 ? 1 / length : 1;
  const double steps = c.options.steps ? static_cast<double>(*c.options.steps)
                                       : static_cast<double>(c.options.passes * c.data.x.size());
  double alpha = 1, lambda = 0, stage = 0, first = 0;
  Vector z(c.data.features), n(c.data.features);
  const auto work_out = [&](Vector& w, std::size_t j) {
    w[j] = -soft(z[j], lambda) / ((1 + std::sqrt(n[j])) / alpha) * unit;
  };
  return run_batches(c, [&](Vector& w, const Vector& g, double, double t) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (g[j] == 0 || (stage >= 15 && w[j] == 0)) continue;
      const double more = n[j] + g[j] * g[j] * unit * unit;
      z[j] += g[j] * unit - (std::sqrt(more) - std::sqrt(n[j])) / alpha * w[j] / unit;
      n[j] = more;
      work_out(w, j);
    }
    while (stage < 20 && t >= std::ceil((stage + 1) * steps / 20)) {
      ++stage;
      const auto support = std::count_if(w.begin(), w.end(), [](double v) { return v != 0; });
      if (stage == 1) first = std::max(k, static_cast<double>(support));
      if (stage <= 15) {
        const double share = std::min(1.0, stage / 12);
        const double allowed = std::floor(std::pow(first, 1 - share) * std::pow(k, share));
        lambda = threshold(z, static_cast<std::size_t>(std::max(k, allowed)));
        for (std::size_t j = 0; j < w.size(); ++j) work_out(w, j);
      }
      if (stage != 15) continue;
      lambda = 0;
      alpha = 3;
      for (std::size_t j = 0; j < w.size(); ++j) {
        n[j] = 0;
        z[j] = -w[j] / unit / alpha;
      }
    }
  });
}

RC_GTEST_PROP(BudgetSolver, EqualsItsDenseTwin, ()) {
  Case c = any_case("budget");
  const auto k = *rc::gen::inRange<std::uint64_t>(1, c.data.features + 2);
  c.options.features = k;
  c.options.intercept = false;
  c.options.own.clear();
  const Dense expected = twin(c, static_cast<double>(k));
  const auto support =
      std::count_if(expected.w.begin(), expected.w.end(), [](double v) { return v != 0; });
  RC_PRE(static_cast<std::uint64_t>(support) <= k);  // runs of fewer than 20 steps may end early
  expect_twin(c, expected, Support::rounded);
}

TEST(BudgetSolver, FindsTheFeaturesThatMatter) {
  // Only features 3, 7 and 11 decide, the other 197 are noise; all have different scales.
  DenseProblem data = random_problem(2000, 200, 1, 5);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const Vector& x = data.x[i];
    data.y[i] = 2 * x[3] - 2 * x[7] + x[11] > 0 ? 1 : -1;
  }
  Options options;
  options.solver = "budget";
  options.features = 3;
  options.passes = 20;
  const Model model = fit(to_problem(data), options).model;
  ASSERT_EQ(model.coefficients.size(), 3u);
  EXPECT_EQ(model.coefficients[0].index, 4u);
  EXPECT_EQ(model.coefficients[1].index, 8u);
  EXPECT_EQ(model.coefficients[2].index, 12u);
}

TEST(BudgetSolver, TheScaleOfTheDataDoesNotMatter) {
  const DenseProblem data = random_problem(300, 20, 0.5, 8);
  DenseProblem scaled = data;
  for (Vector& x : scaled.x) {
    for (double& value : x) value *= 1024;
  }
  Options options;
  options.solver = "budget";
  options.features = 5;
  const Model one = fit(to_problem(data), options).model;
  const Model other = fit(to_problem(scaled), options).model;
  ASSERT_EQ(one.coefficients.size(), other.coefficients.size());
  for (std::size_t j = 0; j < one.coefficients.size(); ++j) {
    EXPECT_EQ(one.coefficients[j].index, other.coefficients[j].index);
    EXPECT_NEAR(one.coefficients[j].weight, 1024 * other.coefficients[j].weight, 1e-9);
  }
}

TEST(BudgetSolver, AnInterruptedRunKeepsToItsBudget) {
  const DenseProblem data = random_problem(5000, 50, 0.5, 8);
  std::atomic<bool> stop = true;  // after the first run of rows
  Options options;
  options.solver = "budget";
  options.features = 5;
  options.stop = &stop;
  const FitResult result = fit(to_problem(data), options);
  EXPECT_EQ(result.status.outcome, Outcome::stopped);
  EXPECT_EQ(result.model.coefficients.size(), 5u);
}

}  // namespace
}  // namespace thresh
