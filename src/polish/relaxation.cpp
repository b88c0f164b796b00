#include "polish/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loss/row_losses.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

constexpr int kStepsPerCheck = 20;

double length_of(std::span<const double> v) {
  return std::sqrt(sum_in_four(v.size(), [&](std::size_t i) { return v[i] * v[i]; }));
}

}  // namespace

Relaxation::Relaxation(const SupportMatrix& rows, std::span<const double> targets,
                       LossFunction loss, bool intercept, double ridge, SupportNorm norm)
    : rows_(rows),
      targets_(targets),
      loss_(loss),
      intercept_(intercept),
      ridge_(ridge),
      norm_(std::move(norm)) {
  for (const double weight : rows.weights) total_ += weight;
  const double largest = largest_curvature();
  const double bend = loss_.curvature().value();
  // The constant column gets the length of the largest direction of the others.
  if (largest > 0 && total_ > 0) intercept_scale_ = total_ / largest;
  first_curvature_ = std::max(bend * std::max(largest, 1e-12 * total_), 1e-300) / 4;
}

void Relaxation::add_rows(std::span<const double> weights, double intercept,
                          std::vector<double>& to) const {
  to.resize(rows_.rows());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const SparseVector row = rows_.row(i);
    const double* const x = row.values;
    // The same sum; a row that lacks no column needs no look at which it has.
    to[i] = intercept +
            (row.size == rows_.columns
                 ? sum_in_four(row.size, [&](std::size_t k) { return weights[k] * x[k]; })
                 : sum_in_four(row.size, [&](std::size_t k) { return weights[row.at[k]] * x[k]; }));
  }
}

std::vector<double> Relaxation::columns_of(std::span<const double> by_row) const {
  std::vector<double> sums(rows_.columns);
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const double factor = by_row[i];
    if (factor == 0) continue;
    const SparseVector row = rows_.row(i);
    if (row.size == rows_.columns) {
      add_scaled(sums.data(), factor, row.values, row.size);
      continue;
    }
    for (std::size_t k = 0; k < row.size; ++k) sums[row.at[k]] += factor * row.values[k];
  }
  return sums;
}

// The largest eigenvalue of X'C X, by a few steps of the power method.
double Relaxation::largest_curvature() const {
  constexpr int kSteps = 10;
  std::vector<double> v(rows_.columns, 1), margins;
  double size = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double length = length_of(v);
    if (!(length > 0)) return 0;
    for (double& each : v) each /= length;
    add_rows(v, 0, margins);
    for (std::size_t i = 0; i < margins.size(); ++i) margins[i] *= rows_.weights[i];
    v = columns_of(margins);
    size = length_of(v);
  }
  return size;
}

double Relaxation::evaluate(std::span<const double> margins, std::vector<double>& slopes,
                            std::vector<double>& curvatures) const {
  const std::size_t n = rows_.rows();
  slopes.resize(n);
  curvatures.resize(n);
  return row_losses(loss_, n, margins.data(), targets_.data(), rows_.weights.data(), slopes.data(),
                    curvatures.data());
}

// Newton's method within an interval. Moves the margins along, and returns by how much.
double Relaxation::best_intercept(std::vector<double>& margins) const {
  if (!intercept_) return 0;
  constexpr int kMostSteps = 60;
  const std::size_t n = rows_.rows();
  std::vector<double> moved(margins), slopes(n), curvatures(n);
  double low = 0, high = 0, reach = 1, at = 0;
  bool has_low = false, has_high = false;
  for (int step = 0; step < kMostSteps; ++step) {
    for (std::size_t i = 0; i < n; ++i) moved[i] = margins[i] + at;
    row_losses(loss_, n, moved.data(), targets_.data(), rows_.weights.data(), slopes.data(),
               curvatures.data());
    double slope = 0, bend = 0, terms = 0;
    for (std::size_t i = 0; i < n; ++i) {
      slope += slopes[i];
      bend += curvatures[i];
      terms += std::fabs(slopes[i]);
    }
    if (std::fabs(slope) <= 1e-15 * terms) break;
    (slope < 0 ? low : high) = at;
    (slope < 0 ? has_low : has_high) = true;
    double next = bend > 0 ? at - slope / bend : at;
    const bool inside = (!has_low || next > low) && (!has_high || next < high) && next != at;
    if (!inside || std::fabs(next - at) > reach) {
      if (has_low && has_high) {
        next = (low + high) / 2;
      } else {
        next = at + (slope < 0 ? reach : -reach);
        reach *= 2;
      }
    }
    if (next == at) break;
    at = next;
  }
  margins = std::move(moved);
  return at;
}

void Relaxation::balance(std::vector<double>& slopes) const {
  if (!intercept_) return;
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < slopes.size(); ++i) sums[slopes[i] > 0 ? 1 : 0] += slopes[i];
  if (loss_.kind() == Loss::squared) {
    const double shift = (sums[0] + sums[1]) / total_;
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] -= shift * rows_.weights[i];
    return;
  }
  const double down = -sums[0], up = sums[1];
  for (double& slope : slopes) {
    if (slope > 0 && up > down) slope *= down / up;
    if (slope < 0 && down > up) slope *= up / down;
  }
}

RelaxedModel Relaxation::judge(RidgeModel model) const {
  RelaxedModel found;
  model.weights.resize(rows_.columns);
  std::vector<double> margins;
  add_rows(model.weights, model.intercept, margins);
  model.intercept += best_intercept(margins);
  model.objective = evaluate(margins, found.slopes) + ridge_ / 2 * norm_.value(model.weights);
  balance(found.slopes);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double weight = rows_.weights[i];
    if (weight > 0) {
      found.conjugates -= weight * loss_.conjugate(found.slopes[i] / weight, targets_[i]);
    }
  }
  found.bound = found.conjugates - norm_.dual(columns_of(found.slopes)) / (2 * ridge_);
  found.model = std::move(model);
  return found;
}

Relaxation::Point Relaxation::step(const Point& from, double& curvature) const {
  constexpr double kRounding = 1e-14;
  std::vector<double> slopes, there;
  const double loss = evaluate(from.margins, slopes);
  const std::vector<double> gradient = columns_of(slopes);
  double pull = 0;
  if (intercept_) {
    for (const double slope : slopes) pull += slope;
  }
  for (;; curvature *= 2) {
    Point to;
    to.weights = from.weights;
    add_scaled(to.weights.data(), -1 / curvature, gradient.data(), gradient.size());
    norm_.move(to.weights, ridge_ / curvature);
    const double moved = -pull / (curvature * intercept_scale_);
    to.intercept = from.intercept + moved;
    add_rows(to.weights, to.intercept, to.margins);
    double linear = pull * moved, square = moved * moved * intercept_scale_;
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      const double by = to.weights[j] - from.weights[j];
      linear += gradient[j] * by;
      square += by * by;
    }
    const double limit = loss + linear + curvature / 2 * square + kRounding * std::fabs(loss);
    const double value = evaluate(to.margins, there);
    if (value <= limit || !(curvature < 1e300)) return to;
  }
}

bool Relaxation::ends(const RelaxationEnd& end, double lowest, double bound) const {
  constexpr double kSmall = 0.1;
  if (!std::isfinite(lowest)) return false;  // at a start with more columns than places
  return lowest - bound <= end.gap * lowest || bound >= end.wanted ||
         (std::isfinite(end.wanted) && lowest - bound <= kSmall * (end.wanted - lowest));
}

RelaxedModel Relaxation::fit(RidgeModel start, const RelaxationEnd& end) const {
  constexpr double kShrink = 0.97;  // of the curvature per step
  RelaxedModel best = judge(std::move(start));
  double lowest = best.model.objective;
  Point now{best.model.weights, best.model.intercept, {}};
  add_rows(now.weights, now.intercept, now.margins);
  Point before = now;
  double curvature = first_curvature_, t = 1;
  int step = 1, next_check = kStepsPerCheck;
  for (; step <= end.most_steps && !ends(end, lowest, best.bound); ++step) {
    const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    const double by = (t - 1) / next_t;
    Point from = now;
    for (std::size_t j = 0; j < from.weights.size(); ++j) {
      from.weights[j] += by * (now.weights[j] - before.weights[j]);
    }
    from.intercept += by * (now.intercept - before.intercept);
    for (std::size_t i = 0; i < from.margins.size(); ++i) {
      from.margins[i] += by * (now.margins[i] - before.margins[i]);
    }
    Point to = this->step(from, curvature);
    double back = 0;  // whether the last movement went against the gradient
    for (std::size_t j = 0; j < to.weights.size(); ++j) {
      back += (from.weights[j] - to.weights[j]) * (to.weights[j] - now.weights[j]);
    }
    back += (from.intercept - to.intercept) * (to.intercept - now.intercept) * intercept_scale_;
    before = std::move(now);
    now = std::move(to);
    t = back > 0 ? 1 : next_t;
    curvature *= kShrink;
    if ((end.stop != nullptr && end.stop->load()) || is_over(end.until)) break;
    if (step < next_check && step < end.most_steps) continue;
    if (newton(now, step)) {
      before = now;
      t = 1;
    }
    next_check = step + kStepsPerCheck;
    RelaxedModel found = judge({now.weights, now.intercept, 0});
    lowest = std::min(lowest, found.model.objective);
    if (found.bound > best.bound) best = std::move(found);
  }
  best.model.objective = lowest;
  best.steps = step;
  return best;
}

}  // namespace thresh
