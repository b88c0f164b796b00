// The l1 problem once more, slowly and in long double: what l1's results are held against.
#pragma once

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/optimum.hpp"
#include "tools/scratch.hpp"

namespace thresh {

using Real = long double;

// The problem as l1 sees it, slowly: prices by feature, any of them infinite.
struct Twin {
  DenseProblem data;
  Loss loss = Loss::logistic;
  double lambda = 0.05, l2 = 0;
  bool intercept = true;
  bool non_negative = false;
  std::vector<double> factors;
  double limit = 1;  // of huber

  static Real at_rate(Real x) { return x > 0 ? x * (std::log(x) - 1) : 0; }
  Real share() const { return Real(1) / data.x.size(); }
  Real factor(std::size_t j) const { return factors.empty() ? 1 : factors[j]; }

  Real value(Real a, Real y) const {
    const Real m = y * a;
    if (loss == Loss::squared) return (a - y) * (a - y) / 2;
    if (loss == Loss::squared_hinge) return m < 1 ? (1 - m) * (1 - m) : 0;
    if (loss == Loss::poisson) return std::exp(a) - m + at_rate(y);
    if (loss == Loss::huber) {
      const Real r = std::fabs(a - y);
      return r <= limit ? r * r / 2 : limit * (r - limit / Real(2));
    }
    return std::log1p(std::exp(-std::fabs(m))) + std::max<Real>(-m, 0);
  }
  Real slope(Real a, Real y) const {
    const Real m = y * a;
    if (loss == Loss::squared) return a - y;
    if (loss == Loss::squared_hinge) return m < 1 ? -2 * y * (1 - m) : 0;
    if (loss == Loss::poisson) return std::exp(a) - y;
    if (loss == Loss::huber) return std::clamp(a - y, Real(-limit), Real(limit));
    return -y / (1 + std::exp(m));
  }
  Real conjugate(Real v, Real y) const {
    const Real z = -v * y;
    if (loss == Loss::squared) return v * v / 2 + v * y;
    if (loss == Loss::squared_hinge) return z * z / 4 - z;
    if (loss == Loss::poisson) return at_rate(v + y) - at_rate(y);
    if (loss == Loss::huber) return v * v / 2 + v * y;
    const auto xlogx = [](Real x) { return x > 0 ? x * std::log(x) : 0; };
    return xlogx(z) + xlogx(1 - z);
  }

  Real margin(const Dense& at, std::size_t i) const {
    Real a = at.b;
    for (std::size_t j = 0; j < at.w.size(); ++j) a += data.x[i][j] * Real(at.w[j]);
    return a;
  }
  Real primal(const Dense& at) const {
    Real sum = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      sum += share() * value(margin(at, i), data.y[i]);
    }
    for (std::size_t j = 0; j < at.w.size(); ++j) {
      sum += lambda * factor(j) * std::fabs(Real(at.w[j])) + Real(l2) / 2 * at.w[j] * at.w[j];
    }
    return sum;
  }

  // The dual at the slopes, made feasible: their sum taken out first if there is an intercept, as
  // far as a sum of the size of rounding can be, then scaled.
  Real gap(const Dense& at) const {
    const std::size_t rows = data.x.size();
    std::vector<Real> v(rows);
    Real sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      v[i] = slope(margin(at, i), data.y[i]);
      sum += share() * v[i];
    }
    EXPECT_TRUE(!intercept || std::fabs(sum) < 1e-9L);
    Real scale = 1, paid = 0;
    std::vector<Real> gradient(data.features);
    for (std::size_t j = 0; j < data.features; ++j) {
      for (std::size_t i = 0; i < rows; ++i) gradient[j] += share() * v[i] * data.x[i][j];
      const Real price = lambda * factor(j);
      const Real lack =
          std::max({Real(0), -gradient[j] - price, non_negative ? Real(0) : gradient[j] - price});
      if (l2 > 0) {
        paid += lack * lack / (2 * l2);
      } else if (lack > 0) {
        scale = std::min(scale, price / (price + lack));
      }
    }
    Real dual = -paid;
    for (std::size_t i = 0; i < rows; ++i) dual -= share() * conjugate(scale * v[i], data.y[i]);
    return primal(at) - dual;
  }
};

// A case that RapidCheck chooses.
inline Twin any_twin() {
  Twin twin;
  twin.data = any_problem();
  twin.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  twin.lambda = *rc::gen::element(0.3, 0.05, 0.003);
  twin.l2 = *rc::gen::element(0.0, 0.0, 0.1);
  twin.intercept = *rc::gen::arbitrary<bool>();
  twin.non_negative = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    for (std::size_t j = 0; j < twin.data.features; ++j) {
      twin.factors.push_back(*rc::gen::element(0.5, 1.0, 3.0));
    }
  }
  return twin;
}

struct Solved {
  Dense at;
  FitResult result;
};

inline Solved solve(const Twin& twin, double gap = 1e-9) {
  const ScratchDir dir;
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.lambda = twin.lambda;
  options.loss = twin.loss;
  if (is_for_numbers(twin.loss)) options.task = Task::regression;
  if (twin.loss == Loss::huber) options.huber_delta = twin.limit;
  options.intercept = twin.intercept;
  options.solver_options = {{"gap", fmt::format("{}", gap)}, {"l2", fmt::format("{}", twin.l2)}};
  if (twin.non_negative) options.solver_options["non-negative"] = "true";
  if (!twin.factors.empty()) {
    options.solver_options["penalties"] =
        dir.write("penalties", fmt::format("{}\n", fmt::join(twin.factors, "\n")));
  }
  FitResult result = fit(to_problem(twin.data), options);
  return {dense(result.model, twin.data.features), std::move(result)};
}

inline double found(const FitResult& result, const std::string& name) {
  for (const Finding& finding : result.theory) {
    if (finding.name == name) return *finding.value;
  }
  ADD_FAILURE() << "no finding " << name;
  return 0;
}

inline bool has_features(const DenseProblem& data) {
  for (const auto& x : data.x) {
    for (const double value : x) {
      if (value != 0) return true;
    }
  }
  return false;
}

}  // namespace thresh
