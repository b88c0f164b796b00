// Shared by the naive dense twins: a case to try, the gradient of a batch, and the plain loop over
// passes and batches. Everything follows the definitions literally; nothing is deferred.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tools/problems.hpp"

namespace thresh {

using Vector = std::vector<double>;

// A point, or a gradient: weights and intercept.
struct Dense {
  Vector w;
  double b = 0;
};

struct Case {
  DenseProblem data;
  Options options;
  std::uint64_t batch = 1;
};

inline double soft(double v, double t) {
  return std::copysign(std::max(std::fabs(v) - t, 0.0), v);
}

inline double sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

inline double l1_norm(const Vector& w) {
  double sum = 0;
  for (const double v : w) sum += std::fabs(v);
  return sum;
}

inline double loss_value(Loss loss, double a, double y) {
  switch (loss) {
    case Loss::logistic:
      return std::log1p(std::exp(-y * a));
    case Loss::squared:
      return (a - y) * (a - y) / 2;
    case Loss::hinge:
      return std::max(0.0, 1 - y * a);
    case Loss::squared_hinge:
      return std::pow(std::max(0.0, 1 - y * a), 2);
    case Loss::poisson:
      return std::exp(a) - y * a + (y > 0 ? y * (std::log(y) - 1) : 0);
    case Loss::huber:  // these two with the usual parameters
      return std::fabs(a - y) <= 1 ? (a - y) * (a - y) / 2 : std::fabs(a - y) - 0.5;
    case Loss::quantile:
      return std::fabs(a - y) / 2;
  }
  return 0;
}

inline double loss_slope(Loss loss, double a, double y) {
  switch (loss) {
    case Loss::logistic:
      return -y / (1 + std::exp(y * a));
    case Loss::squared:
      return a - y;
    case Loss::hinge:
      return y * a < 1 ? -y : 0;
    case Loss::squared_hinge:
      return -2 * y * std::max(0.0, 1 - y * a);
    case Loss::poisson:
      return std::exp(a) - y;
    case Loss::huber:
      return std::fabs(a - y) <= 1 ? a - y : a > y ? 1 : -1;
    case Loss::quantile:
      return a == y ? 0 : a > y ? 0.5 : -0.5;
  }
  return 0;
}

inline double loss_bound(Loss loss) {
  return loss == Loss::logistic ? 0.25 : loss == Loss::squared || loss == Loss::huber ? 1 : 2;
}

inline double margin(const DenseProblem& data, const Dense& at, std::size_t i) {
  double a = 0;
  for (std::size_t j = 0; j < data.features; ++j) a += at.w[j] * data.x[i][j];
  return a + at.b;
}

inline std::vector<std::size_t> all_rows(const DenseProblem& data) {
  std::vector<std::size_t> rows(data.x.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// sum(s g) over the rows, divided by `total`.
inline Dense gradient(const DenseProblem& data, Loss loss, const Dense& at,
                      const std::vector<std::size_t>& rows, double total) {
  Dense g{Vector(data.features), 0};
  for (const std::size_t i : rows) {
    const double slope = loss_slope(loss, margin(data, at, i), data.y[i]) * data.s[i];
    for (std::size_t j = 0; j < data.features; ++j) g.w[j] += slope * data.x[i][j];
    g.b += slope;
  }
  for (double& v : g.w) v /= total;
  g.b /= total;
  return g;
}

inline double total_weight(const DenseProblem& data, const std::vector<std::size_t>& rows) {
  double total = 0;
  for (const std::size_t i : rows) total += data.s[i];
  return total;
}

inline Dense full_gradient(const DenseProblem& data, Loss loss, const Dense& at) {
  return gradient(data, loss, at, all_rows(data), total_weight(data, all_rows(data)));
}

inline double mean_loss(const DenseProblem& data, Loss loss, const Dense& at) {
  double sum = 0;
  for (const std::size_t i : all_rows(data)) {
    sum += data.s[i] * loss_value(loss, margin(data, at, i), data.y[i]);
  }
  return sum / total_weight(data, all_rows(data));
}

inline double eta_at(const Options& options, double t) {
  const Schedule schedule = *options.schedule;
  const double eta = options.eta.value_or(kDefaultEta);
  return schedule == Schedule::constant ? eta
         : schedule == Schedule::sqrt   ? eta / std::sqrt(t)
                                        : eta / t;
}

// Passes over batches that restart each pass. `step(w, g, eta, t)` moves the weights; the intercept
// takes the plain step. A single row is not divided by its weight, which would cancel it.
template <class Step>
Dense run_batches(const Case& c, const Step& step) {
  const Options& o = c.options;
  Dense now{Vector(c.data.features), 0};
  std::uint64_t t = 0;
  for (std::uint64_t pass = 1; o.steps || pass <= o.passes; ++pass) {
    const auto order = visiting_order(o.order, o.seed, pass, c.data.x.size());
    const std::size_t size = c.batch == 0 ? order.size() : c.batch;
    for (std::size_t first = 0; first < order.size(); first += size) {
      const auto last = std::min(first + size, order.size());
      const std::vector<std::size_t> rows(&order[first], &order[first] + (last - first));
      const double total = c.batch == 1 ? 1 : total_weight(c.data, rows);
      const Dense g = gradient(c.data, *o.loss, now, rows, total);
      const double eta = eta_at(o, static_cast<double>(++t));
      step(now.w, g.w, eta, static_cast<double>(t));
      if (o.intercept) now.b -= eta * g.b;
      if (t == o.steps) return now;
    }
  }
  return now;
}

// H(v, k): only the k largest magnitudes stay; among equal ones, the lower index.
inline void keep_only(Vector& v, std::size_t k) {
  Vector kept(v.size());
  for (std::size_t n = 0; n < std::min(k, v.size()); ++n) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < v.size(); ++j) {
      if (std::fabs(v[j]) > std::fabs(v[best])) best = j;
    }
    kept[best] += std::exchange(v[best], 0);
  }
  v = kept;
}

// Duchi et al., figure 1, on magnitudes.
inline void project(Vector& v, double radius) {
  if (l1_norm(v) <= radius) return;
  Vector u;
  for (const double x : v) u.push_back(std::fabs(x));
  std::sort(u.rbegin(), u.rend());
  double sum = 0;
  double theta = 0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    sum += u[k];
    if (u[k] > (sum - radius) / static_cast<double>(k + 1)) {
      theta = (sum - radius) / static_cast<double>(k + 1);
    }
  }
  for (double& x : v) x = soft(x, theta);
}

// A number that is not on a grid, so that only the algorithm makes ties.
inline double any_between(double low, double high) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  return low + (high - low) * random.uniform();
}

// Both classes get half of the total weight: the rows of a class weigh n / (2 n_c).
inline void balance(Case& c) {
  c.options.balanced_classes = true;
  const auto n = static_cast<double>(c.data.y.size());
  const auto ups = static_cast<double>(std::count(c.data.y.begin(), c.data.y.end(), 1));
  for (std::size_t i = 0; i < c.data.y.size(); ++i) {
    c.data.s[i] = n / (2 * (c.data.y[i] > 0 ? ups : n - ups));
  }
}

// Steps that contract. Otherwise rounding errors would grow without bound in both twins.
inline double any_eta(const Case& c) {
  double largest = 0;
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    double square = 1;
    for (const double x : c.data.x[i]) square += x * x;
    largest = std::max(largest, c.data.s[i] * square);
  }
  const Loss loss = *c.options.loss;
  const double most =
      loss == Loss::squared || loss == Loss::squared_hinge ? 1 / (loss_bound(loss) * largest) : 1;
  return any_between(0.05 * most, most);
}

inline Case any_grid_case(const std::string& solver, const std::vector<Loss>& losses) {
  Case c;
  c.data = any_problem();
  Options& o = c.options;
  o.solver = solver;
  o.dim = c.data.features;
  o.loss = *rc::gen::elementOf(losses);
  if (*rc::gen::inRange(0, 3) == 0) balance(c);
  o.eta = any_eta(c);
  o.lambda = *rc::gen::element(0, 1, 1) * any_between(0.001, 0.2);
  o.schedule = *rc::gen::element(Schedule::constant, Schedule::sqrt, Schedule::inverse);
  o.passes = *rc::gen::inRange<std::uint64_t>(1, 5);
  if (*rc::gen::inRange(0, 3) == 0) o.steps = *rc::gen::inRange<std::uint64_t>(1, 150);
  o.seed = *rc::gen::arbitrary<std::uint64_t>();
  o.order = *rc::gen::element(Order::shuffle, Order::sequential);
  o.intercept = *rc::gen::arbitrary<bool>();
  return c;
}

// Values on a grid cancel exactly and leave a multiple of eta lambda, which shrinks to a tie at 0.
// So they are moved a little.
inline Case any_case(const std::string& solver, const std::vector<Loss>& losses) {
  Case c = any_grid_case(solver, losses);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (auto& row : c.data.x) {
    for (double& x : row) x *= 1 + 0.01 * random.uniform();
  }
  return c;
}

inline Case any_case(const std::string& solver) {
  return any_case(solver, {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge});
}

// With a loss for numbers: counts for poisson, any numbers for the others. Steps are small, so that
// rates stay where rounding errors do not grow.
inline Case any_case_of_numbers(const std::string& solver, const std::vector<Loss>& losses) {
  Case c = any_case(solver, {Loss::logistic});
  Options& o = c.options;
  o.balanced_classes = false;
  std::fill(c.data.s.begin(), c.data.s.end(), 1);
  o.task = Task::regression;
  o.loss = *rc::gen::elementOf(losses);
  *o.eta *= 0.05;
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  for (double& y : c.data.y) {
    const double size = std::fabs(2 * random.normal());
    y = o.loss == Loss::poisson ? std::floor(size) : y * size;
  }
  return c;
}

inline void choose_batch(Case& c, std::uint64_t smallest = 0) {
  c.batch = *rc::gen::inRange<std::uint64_t>(smallest, 9);
  c.options.solver_options["batch"] = std::to_string(c.batch);
}

inline std::string text(double value) {
  return fmt::format("{}", value);
}

enum class Zeros { equal, rounded };

// Expects the weights of the twin. Exact zeros must agree as well if a threshold makes them, but
// not if they are differences that rounding may leave at 1e-17.
inline void expect_twin(const Case& c, const Dense& expected, Zeros zeros = Zeros::equal) {
  const FitResult got = fit(plain_problem(c.data), c.options);
  Vector w(c.data.features);
  for (const Coefficient& coefficient : got.model.coefficients) {
    w.at(coefficient.index - 1) = coefficient.weight;
  }
  RC_ASSERT(got.last.at.nonzeros == got.model.coefficients.size());
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double tolerance = 1e-10 * std::max(1.0, std::fabs(expected.w[j]));
    if (!(std::fabs(w[j] - expected.w[j]) <= tolerance)) RC_ASSERT(w == expected.w);  // shows both
    if (zeros == Zeros::equal && c.options.lambda > 0) {
      RC_ASSERT((w[j] == 0) == (expected.w[j] == 0));
    }
  }
  const double off = std::fabs(got.model.intercept - expected.b);
  RC_ASSERT(off <= 1e-10 * std::max(1.0, std::fabs(expected.b)));
}

}  // namespace thresh
