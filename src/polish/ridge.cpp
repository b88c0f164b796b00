#include "polish/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// Of a gradient, each part in units of its bend.
double squared_length(const RidgeVector& gradient, const RidgeVector& bend) {
  return sum_in_four(bend.weights.size(),
                     [&](std::size_t j) {
                       return gradient.weights[j] * gradient.weights[j] / bend.weights[j];
                     }) +
         gradient.intercept * gradient.intercept / bend.intercept;
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

bool RidgeProblem::balance(std::span<double> slopes) const {
  if (!intercept_) return true;
  const std::size_t n = slopes.size();
  if (loss_.kind() == Loss::squared) {
    const double all = sum_in_four(n, [&](std::size_t i) { return rows_.weights[i]; });
    const double mean = sum_in_four(n, [&](std::size_t i) { return slopes[i]; }) / all;
    for (std::size_t i = 0; i < n; ++i) slopes[i] -= rows_.weights[i] * mean;
    return std::isfinite(mean);
  }
  // Smaller slopes of either sign are slopes, too.
  const double up = sum_in_four(n, [&](std::size_t i) { return std::max(slopes[i], 0.0); });
  const double down = sum_in_four(n, [&](std::size_t i) { return std::max(-slopes[i], 0.0); });
  if (!(up > 0 && down > 0)) return false;
  for (double& slope : slopes)
    slope *= slope > 0 ? std::min(1.0, down / up) : std::min(1.0, up / down);
  return true;
}

double RidgeProblem::dual(std::vector<double> slopes, std::span<const double> rho) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (!balance(slopes)) return kNone;
  double sum = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double weight = rows_.weights[i];
    if (weight == 0) continue;
    const double slope = slopes[i] / weight;
    if (!loss_.is_slope(slope, targets_[i])) return kNone;
    sum -= weight * loss_.conjugate(slope, targets_[i]);
  }
  const Vector pulls = add_columns(slopes);
  return sum - 0.5 * sum_in_four(rho.size(), [&](std::size_t j) {
                 return pulls.weights[j] * pulls.weights[j] / rho[j];
               });
}

// The slopes of the quadratic model's optimum are nearly those of the optimum, if they are slopes
// of the loss at all. Those of the point always are.
double RidgeProblem::bound(const Point& point, std::span<const double> moved,
                           std::span<const double> rho) const {
  std::vector<double> slopes = point.slopes;
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] += point.curvatures[i] * moved[i];
  return std::max(dual(std::move(slopes), rho), dual(point.slopes, rho));
}

RidgeModel RidgeProblem::fit(std::span<const double> ridges, RidgeModel start,
                             const FitEnd& end) const {
  return signs_.empty() ? fit_free(ridges, std::move(start), end)
                        : fit_signed(ridges, std::move(start), end);
}

std::optional<std::size_t> RidgeProblem::drawn_away(const RidgeModel& model,
                                                    std::span<const char> held,
                                                    std::span<const double> ridges) const {
  constexpr double kRounding = 1e-9;
  Point point;
  point.margins = margins(model);
  evaluate(point);
  const Vector slope = gradient(point, model, ridges);
  double size = 0;
  for (const double s : point.slopes) size += std::fabs(s);
  std::optional<std::size_t> most;
  double strongest = kRounding * size;
  for (std::size_t j = 0; j < held.size(); ++j) {
    const double pull = -slope.weights[j] * signs_[j];
    if (held[j] == 0 || !(pull > strongest)) continue;
    strongest = pull;
    most = j;
  }
  return most;
}

// An active set: weights of the wrong sign are held at zero by a ridge that leaves them no room,
// and let go one at a time where the loss draws them to the allowed side.
RidgeModel RidgeProblem::fit_signed(std::span<const double> ridges, RidgeModel start,
                                    const FitEnd& end) const {
  constexpr double kNoRoom = 1e200;
  std::vector<double> rho(ridges.begin(), ridges.end());
  std::vector<char> held(rho.size());
  RidgeModel model = std::move(start);
  model.weights.resize(rho.size());
  const auto hold = [&](std::size_t j) {
    held[j] = 1;
    rho[j] = kNoRoom;
    model.weights[j] = 0;
  };
  for (std::size_t j = 0; j < rho.size(); ++j) {
    if (has_wrong_sign(j, model.weights[j])) hold(j);
  }
  // In exact arithmetic this ends by itself; towards the end columns are only held.
  const std::size_t most_rounds = 3 * rho.size() + 10;
  for (std::size_t round = 0;; ++round) {
    model = fit_free(rho, std::move(model), end);
    bool wrong = false;
    for (std::size_t j = 0; j < rho.size(); ++j) {
      if (held[j] != 0) model.weights[j] = 0;
      if (!has_wrong_sign(j, model.weights[j])) continue;
      hold(j);
      wrong = true;
    }
    if (stopped()) return model;
    if (wrong) continue;
    const auto next = round < most_rounds ? drawn_away(model, held, ridges) : std::nullopt;
    if (!next) return model;
    held[*next] = 0;
    rho[*next] = ridges[*next];
  }
}

RidgeModel RidgeProblem::fit_free(std::span<const double> ridges, RidgeModel start,
                                  const FitEnd& end) const {
  RidgeModel model = std::move(start);
  model.weights.resize(rows_.columns);
  Point point;
  point.margins = margins(model);
  model.objective = evaluate(point) + penalty(model.weights, ridges);
  std::vector<double> moved(rows_.rows());
  // What a step promises for a gradient of this size, by the step before. More from step to step,
  // as what is left of the gradient lies where the objective bends less.
  constexpr double kCaution = 3;
  double promise_of_size = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps && !stopped(); ++step) {
    const Vector slope = gradient(point, model, ridges);
    const Vector bend = diagonal(point, ridges);
    const double size = squared_length(slope, bend);
    if (promise_of_size * size <= end.converged * model.objective) break;
    const Vector by = direction(point, slope, bend, ridges);
    const double promised = -(dot(slope.weights, by.weights) + slope.intercept * by.intercept);
    // Exactly solved, a step promises at least this share of the size. An earlier matrix far from
    // this one may hide directions.
    const double least = size / static_cast<double>(ridges.size() + 1);
    if (preconditioner_.is_made() && promised < least) {
      preconditioner_.forget();
      continue;
    }
    if (!(promised > end.converged * model.objective)) break;
    if (has_continuous_curvature(loss_.kind())) promise_of_size = kCaution * promised / size;
    sums_.by_row(by.weights, by.intercept, moved);
    // Near the optimum a step lowers the objective by half of what its slope promises. Far from it
    // that may be far too little, so only the bound decides.
    if (model.objective - promised > end.below && bound(point, moved, ridges) > end.below) break;
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

std::vector<double> RidgeProblem::losses(const RidgeModel& model) const {
  std::vector<double> all = margins(model);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = rows_.weights[i] * loss_.value(all[i], targets_[i]);
  }
  return all;
}

double RidgeProblem::loss(const RidgeModel& model) const {
  double sum = 0;
  for (const double loss : losses(model)) sum += loss;
  return sum;
}

std::vector<double> RidgeProblem::residuals(const RidgeModel& model) const {
  std::vector<double> all = margins(model);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = rows_.weights[i] * std::fabs(all[i] - targets_[i]);
  }
  return all;
}

}  // namespace thresh
