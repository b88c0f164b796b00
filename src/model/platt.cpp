#include "model/platt.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "math/elementary.hpp"
#include "model/metrics.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

// The total weight of the rows with y = +1 and with y = -1.
std::pair<double, double> class_weights(std::span<const double> y,
                                        std::span<const double> weights) {
  CompensatedSum positives, negatives;
  for (size_t i = 0; i < y.size(); ++i) (y[i] > 0 ? positives : negatives).add(weights[i]);
  if (!(positives.value() > 0 && negatives.value() > 0)) {
    throw Error("Platt scaling needs rows of both classes");
  }
  return {positives.value(), negatives.value()};
}

double largest_magnitude(std::span<const double> margins) {
  double largest = 0;
  for (const double margin : margins) {
    if (!std::isfinite(margin)) throw Error("margin is not finite");
    largest = std::max(largest, std::abs(margin));
  }
  return largest;
}

// The cross entropy against the regularised targets.
class Objective {
 public:
  Objective(std::span<const double> x, std::span<const double> y, std::span<const double> weights,
            double positives, double negatives)
      : x_(x),
        y_(y),
        weights_(weights),
        if_positive_{(positives + 1) / (positives + 2), 1 / (positives + 2)},
        if_negative_{1 / (negatives + 2), (negatives + 1) / (negatives + 2)} {}

  double value(const Platt& at) const {
    CompensatedSum sum;
    for (size_t i = 0; i < x_.size(); ++i) {
      const Target& t = target(i);
      const double z = at.logit(x_[i]);
      sum.add(weights_[i] * (portable::log1p(portable::exp(-std::abs(z))) +
                             (z > 0 ? t.negative * z : -t.positive * z)));
    }
    return sum.value();
  }

  // The Newton step and the rate of descent along it.
  struct Step {
    double slope, offset, descent;
  };
  Step newton(const Platt& at) const;

 private:
  // The target probabilities. Both are stored, because 1 - positive would lose digits if small.
  struct Target {
    double positive, negative;
  };
  const Target& target(size_t i) const { return y_[i] > 0 ? if_positive_ : if_negative_; }

  std::span<const double> x_, y_, weights_;
  Target if_positive_, if_negative_;
};

Objective::Step Objective::newton(const Platt& at) const {
  CompensatedSum slope_gradient, offset_gradient;
  // The Hessian as total, mean and scatter (Welford) of x, weighted by curvature. Plain second
  // moments would lose the slope to cancellation if x varies little.
  double total = 0, mean = 0, scatter = 0;
  for (size_t i = 0; i < x_.size(); ++i) {
    const Target& t = target(i);
    const double z = at.logit(x_[i]);
    const double e = portable::exp(-std::abs(z));
    // p - t, computed from the smaller of p and 1 - p, which is exact.
    const double residual = z > 0 ? t.negative - e / (1 + e) : e / (1 + e) - t.positive;
    slope_gradient.add(weights_[i] * residual * x_[i]);
    offset_gradient.add(weights_[i] * residual);

    const double curvature = weights_[i] * e / ((1 + e) * (1 + e));
    if (curvature == 0) continue;
    total += curvature;
    const double distance = x_[i] - mean;
    mean += distance * (curvature / total);
    scatter += curvature * distance * (x_[i] - mean);
  }
  const double g = slope_gradient.value(), h = offset_gradient.value();
  // Equal margins do not determine the slope: leave it.
  const double slope = scatter > 0 ? -(g - mean * h) / scatter : 0.0;
  const double offset = -h / total - mean * slope;
  return {slope, offset, -(g * slope + h * offset)};
}

// Halves the step until the value falls enough. False if it never does: then the possible gain is
// below the rounding error of the value.
bool advance(const Objective& objective, const Objective::Step& step, Platt& at, double& value) {
  for (int halvings = 0; halvings <= 33; ++halvings) {  // down to 1e-10, as in the paper
    const double length = std::ldexp(1.0, -halvings);
    const Platt candidate{at.slope + length * step.slope, at.offset + length * step.offset};
    const double reached = objective.value(candidate);
    if (reached < value - 1e-4 * length * step.descent) {
      at = candidate;
      value = reached;
      return true;
    }
  }
  return false;
}

void minimise(const Objective& objective, Platt& at) {
  double value = objective.value(at);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Objective::Step step = objective.newton(at);
    // This close to the optimum the full step is right, and values cannot be compared.
    if (step.descent <= 1e-13 * value) {
      at = {at.slope + step.slope, at.offset + step.offset};
      return;
    }
    if (!advance(objective, step, at, value)) return;
  }
}

}  // namespace

double Calibration::probability(double margin) const {
  return 1 / (1 + portable::exp(-logit(margin)));
}

Platt fit_platt(std::span<const double> margins, std::span<const double> y,
                std::span<const double> weights) {
  if (margins.size() != y.size() || margins.size() != weights.size()) {
    throw UsageError("Platt scaling needs a label and a weight for every margin");
  }
  const auto [positives, negatives] = class_weights(y, weights);
  // Fits on margins scaled to [-1, 1], so that squares of huge ones do not overflow.
  const double largest = largest_magnitude(margins);
  const double scale = largest > 0 ? largest : 1;
  std::vector<double> x(margins.begin(), margins.end());
  for (double& value : x) value /= scale;
  const Objective objective(x, y, weights, positives, negatives);

  Platt at{0, portable::log((positives + 1) / (negatives + 1))};
  minimise(objective, at);
  // Denormal margins would need an infinite slope.
  constexpr double kMax = std::numeric_limits<double>::max();
  return {std::clamp(at.slope / scale, -kMax, kMax), at.offset};
}

MarginSample::MarginSample(size_t capacity, uint64_t seed) : capacity_(capacity), random_(seed) {}

void MarginSample::add(double margin, double y, double weight) {
  ++seen_;
  if (size() < capacity_) {
    margins_.push_back(margin);
    y_.push_back(y);
    weights_.push_back(weight);
    return;
  }
  // Vitter's algorithm R: row n is included with probability capacity / n.
  const uint64_t place = random_.below(seen_);
  if (place >= capacity_) return;
  margins_[place] = margin;
  y_[place] = y;
  weights_[place] = weight;
}

}  // namespace thresh
