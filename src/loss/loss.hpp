// The losses of a margin a and a target y: value, slope in a, and the largest curvature in a.
//
//     logistic       log(1 + exp(-y a))
//     squared        (a - y)^2 / 2
//     hinge          max(0, 1 - y a)        slope -y where y a < 1, else 0; no curvature bound
//     squared-hinge  max(0, 1 - y a)^2
//     poisson        exp(a) - y a + y (log y - 1)   half the deviance; no curvature bound
//     huber          r^2 / 2 where |r| <= d, else d (|r| - d/2);   r = a - y, parameter d
//     quantile       max(-q r, (1 - q) r)   slope 0 at r = 0; no curvature bound; parameter q
//
// Exponentials are taken of numbers <= 0 only, so nothing overflows for any finite margin; but for
// poisson, whose value and slope are infinite above a = 709.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "math/elementary.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

inline bool has_bounded_slope(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge || loss == Loss::huber ||
         loss == Loss::quantile;
}

// Whether the slope has a derivative but for single margins, so that Newton's method applies.
inline bool has_curvature(Loss loss) {
  return loss != Loss::hinge && loss != Loss::quantile;
}

// Whether that derivative is continuous.
inline bool has_continuous_curvature(Loss loss) {
  return loss == Loss::logistic || loss == Loss::squared || loss == Loss::poisson;
}

class LossFunction {
 public:
  // `parameter`: of huber and quantile.
  explicit LossFunction(Loss kind, double parameter = 1) : kind_(kind) {
    const bool quantile = kind == Loss::quantile;
    lowest_ = quantile ? -parameter : -std::fabs(parameter);
    highest_ = quantile ? 1 - parameter : std::fabs(parameter);
    bend_ = quantile ? std::numeric_limits<double>::infinity() : 1;
  }
  Loss kind() const { return kind_; }

  // For huber and quantile: the least and the largest slope.
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  // The same slopes far from the target, but with this curvature near it: a smoother loss.
  LossFunction softened(double bend) const {
    LossFunction soft = *this;
    soft.bend_ = bend;
    return soft;
  }

  double value(double a, double y) const {
    const double m = y * a;
    switch (kind_) {
      case Loss::logistic:
        return portable::log1p(portable::exp(-std::fabs(m))) - (m > 0 ? 0 : m);
      case Loss::squared:
        return 0.5 * (a - y) * (a - y);
      case Loss::hinge:
        return m < 1 ? 1 - m : 0;
      case Loss::squared_hinge:
        return m < 1 ? (1 - m) * (1 - m) : 0;
      case Loss::poisson: {
        const double rate = portable::exp(a);
        if (!std::isfinite(rate)) return rate;
        return std::max(0.0, rate - m + at_rate(y));
      }
      case Loss::huber:
      case Loss::quantile: {
        const double r = a - y;
        const double limit = r < 0 ? lowest_ : highest_;
        return bend_ * r / limit <= 1 ? 0.5 * bend_ * r * r : limit * (r - 0.5 * limit / bend_);
      }
    }
    return 0;
  }

  double slope(double a, double y) const {
    const double m = y * a;
    switch (kind_) {
      case Loss::logistic: {
        if (m <= 0) return -y / (1 + portable::exp(m));
        const double e = portable::exp(-m);
        return -y * e / (1 + e);
      }
      case Loss::squared:
        return a - y;
      case Loss::hinge:
        return m < 1 ? -y : 0;
      case Loss::squared_hinge:
        return m < 1 ? -2 * y * (1 - m) : 0;
      case Loss::poisson:
        return portable::exp(a) - y;
      case Loss::huber:
      case Loss::quantile:
        return a == y ? 0 : std::clamp(bend_ * (a - y), lowest_, highest_);
    }
    return 0;
  }

  // The sum over all rows, weighted.
  double sum(std::span<const double> margins, std::span<const Row> rows) const {
    double total = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      total += rows[i].weight * value(margins[i], rows[i].label);
    }
    return total;
  }

  // The second derivative in a at a point with this slope. It needs no margin, so it also serves
  // the slope of a softmax, which depends on the margins of all classes. Only poisson needs y.
  double curvature(double slope, double y) const {
    switch (kind_) {
      case Loss::logistic:
        return std::fabs(slope) * (1 - std::fabs(slope));
      case Loss::squared:
        return 1;
      case Loss::hinge:
        return 0;
      case Loss::squared_hinge:
        return slope != 0 ? 2 : 0;
      case Loss::poisson:
        return std::max(0.0, slope + y);
      case Loss::huber:
      case Loss::quantile:
        return slope > lowest_ && slope < highest_ && std::isfinite(bend_) ? bend_ : 0;
    }
    return 0;
  }

  // sup over a of v a - L(a, y), for a v that is a slope of the loss times a number in [0, 1].
  double conjugate(double v, double y) const {
    const double z = std::fabs(v);
    switch (kind_) {
      case Loss::logistic:
        return (z > 0 ? z * portable::log(z) : 0) + (z < 1 ? (1 - z) * portable::log1p(-z) : 0);
      case Loss::squared:
        return 0.5 * v * v + v * y;
      case Loss::hinge:
        return -z;
      case Loss::squared_hinge:
        return 0.25 * z * z - z;
      case Loss::poisson:
        return at_rate(v + y) - at_rate(y);
      case Loss::huber:
      case Loss::quantile:
        return v * y + 0.5 * v * v / bend_;
    }
    return 0;
  }

  // Whether v is the slope at some margin, or a limit of such slopes.
  bool is_slope(double v, double y) const {
    switch (kind_) {
      case Loss::squared:
        return std::isfinite(v);
      case Loss::poisson:
        return v >= -y && std::isfinite(v);
      case Loss::huber:
      case Loss::quantile:
        return v >= lowest_ && v <= highest_;
      case Loss::logistic:
      case Loss::hinge:
        return v * y <= 0 && std::fabs(v) <= 1;
      case Loss::squared_hinge:
        return v * y <= 0;
    }
    return false;
  }

  // beta: for targets of +-1, the slope changes by at most beta times the change in a.
  std::optional<double> curvature() const {
    switch (kind_) {
      case Loss::logistic:
        return 0.25;
      case Loss::squared:
        return 1;
      case Loss::squared_hinge:
        return 2;
      case Loss::huber:
      case Loss::quantile:
        return std::isfinite(bend_) ? std::optional(bend_) : std::nullopt;
      case Loss::hinge:
      case Loss::poisson:
        return std::nullopt;
    }
    return std::nullopt;
  }

  // The curvature of a parabola that touches the loss at a and suits margins far from it, too: for
  // huber and quantile it is nowhere below the loss (Hunter & Lange 2000), with residuals below
  // `least` taken as `least`; for a rate below its count it has the loss's minimum.
  double broad_curvature(double a, double slope, double y, double least) const {
    switch (kind_) {
      case Loss::huber:
        return std::min(1.0, highest_ / std::max(std::fabs(a - y), least));
      case Loss::quantile:
        return 0.5 / std::max(std::fabs(a - y), least);
      case Loss::poisson:
        return slope < 0 && a < portable::log(y) ? slope / (a - portable::log(y))
                                                 : std::max(0.0, slope + y);
      default:
        return curvature(slope, y);
    }
  }

 private:
  // x (log x - 1): minus the least value of exp(a) - x a.
  static double at_rate(double x) { return x > 0 ? x * (portable::log(x) - 1) : 0; }

  Loss kind_;
  double lowest_, highest_;  // slopes of huber and quantile
  double bend_;              // their curvature near the target
};

}  // namespace thresh
