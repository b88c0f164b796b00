// The losses of a margin a and a target y: value, slope in a, and the largest curvature in a.
//
//     logistic       log(1 + exp(-y a))
//     squared        (a - y)^2 / 2
//     hinge          max(0, 1 - y a)        slope -y where y a < 1, else 0; no curvature bound
//     squared-hinge  max(0, 1 - y a)^2
//
// Exponentials are taken of numbers <= 0 only, so nothing overflows for any finite margin.
#pragma once

#include <cmath>
#include <optional>
#include <span>

#include "math/elementary.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

inline bool has_bounded_slope(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge;
}

class LossFunction {
 public:
  explicit LossFunction(Loss kind) : kind_(kind) {}
  Loss kind() const { return kind_; }

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
  // the slope of a softmax, which depends on the margins of all classes.
  double curvature(double slope) const {
    switch (kind_) {
      case Loss::logistic:
        return std::fabs(slope) * (1 - std::fabs(slope));
      case Loss::squared:
        return 1;
      case Loss::hinge:
        return 0;
      case Loss::squared_hinge:
        return slope != 0 ? 2 : 0;
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
    }
    return 0;
  }

  // beta: for targets of +-1, the slope changes by at most beta times the change in a.
  std::optional<double> curvature() const {
    switch (kind_) {
      case Loss::logistic:
        return 0.25;
      case Loss::squared:
        return 1;
      case Loss::hinge:
        return std::nullopt;
      case Loss::squared_hinge:
        return 2;
    }
    return std::nullopt;
  }

 private:
  Loss kind_;
};

}  // namespace thresh
