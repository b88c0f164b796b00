#include "polish/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "loss/row_losses.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

constexpr int kMostSteps = 100;

double dot(std::span<const double> a, std::span<const double> b) {
  return sum_in_four(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

double penalty(std::span<const double> weights, std::span<const double> rho) {
  return 0.5 *
         sum_in_four(rho.size(), [&](std::size_t j) { return rho[j] * weights[j] * weights[j]; });
}

}  // namespace

double RidgeProblem::evaluate(Point& point) const {
  const std::size_t n = rows_.rows();
  point.slopes.resize(n);
  point.curvatures.resize(n);
  point.loss = row_losses(loss_, n, point.margins.data(), targets_.data(), rows_.weights.data(),
                          point.slopes.data(), point.curvatures.data());
  return point.loss;
}

RidgeProblem::Vector RidgeProblem::add_columns(std::span<const double> by_row) const {
  Vector sums = sums_.by_column(
      {std::vector<double>(rows_.columns), 0},
      [&](std::size_t i, const SparseVector& row, Vector& part) { part.add(row, by_row[i]); });
  if (!intercept_) sums.intercept = 0;
  return sums;
}

RidgeProblem::Vector RidgeProblem::gradient(const Point& point, const RidgeModel& model,
                                            std::span<const double> rho) const {
  Vector sums = add_columns(point.slopes);
  for (std::size_t j = 0; j < rho.size(); ++j) sums.weights[j] += rho[j] * model.weights[j];
  return sums;
}

RidgeModel RidgeProblem::fit(std::span<const double> ridges, RidgeModel start,
                             const FitEnd& end) const {
  RidgeModel model = std::move(start);
  model.weights.resize(rows_.columns);
  Point point;
  point.margins = margins(model);
  model.objective = evaluate(point) + penalty(model.weights, ridges);
  std::vector<double> moved(rows_.rows());
  for (int step = 0; step < kMostSteps && !stopped(); ++step) {
    const Vector slope = gradient(point, model, ridges);
    const Vector by = direction(point, slope, ridges);
    const double promised = -(dot(slope.weights, by.weights) + slope.intercept * by.intercept);
    if (!(promised > end.converged * model.objective)) break;
    // Near the optimum a step lowers the objective by half of what its slope promises.
    if (model.objective - promised > end.below) break;
    sums_.by_row(by.weights, by.intercept, moved);
    // Halves the step until the objective falls by a tenth of what the slope promises.
    double length = 1;
    RidgeModel next;
    Point there;
    for (;; length /= 2) {
      next = model;
      add_scaled(next.weights.data(), length, by.weights.data(), by.weights.size());
      next.intercept += length * by.intercept;
      there.margins = point.margins;
      add_scaled(there.margins.data(), length, moved.data(), moved.size());
      next.objective = evaluate(there) + penalty(next.weights, ridges);
      if (next.objective <= model.objective - 0.1 * length * promised || length < 1e-16) break;
    }
    if (!(next.objective < model.objective)) break;  // rounding
    model = std::move(next);
    std::swap(point, there);
  }
  return model;
}

std::vector<double> RidgeProblem::margins(const RidgeModel& model) const {
  std::vector<double> sums(rows_.rows());
  sums_.by_row(model.weights, model.intercept, sums);
  return sums;
}

double RidgeProblem::loss(const RidgeModel& model) const {
  const std::vector<double> all = margins(model);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += rows_.weights[i] * loss_.value(all[i], targets_[i]);
  }
  return sum;
}

double RidgeProblem::residuals(const RidgeModel& model) const {
  const std::vector<double> all = margins(model);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += rows_.weights[i] * std::fabs(all[i] - targets_[i]);
  }
  return sum;
}

}  // namespace thresh
