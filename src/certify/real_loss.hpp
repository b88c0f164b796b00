// Sums and losses in long double, for bounds.
#pragma once

#include <algorithm>
#include <cmath>

#include "thresh/options.hpp"

namespace thresh {

using Real = long double;

// Neumaier's sum: accurate for terms of both signs and any number of rows.
class ExactSum {
 public:
  void add(Real x) {
    const Real total = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - total) + x : (x - total) + sum_;
    sum_ = total;
  }
  Real value() const { return sum_ + lost_; }

 private:
  Real sum_ = 0, lost_ = 0;
};

struct RealLoss {
  Loss kind;
  Real limit = 1;  // of the slopes of huber

  static Real at_rate(Real x) { return x > 0 ? x * (std::log(x) - 1) : 0; }

  Real value(Real a, Real y) const {
    const Real m = y * a;
    switch (kind) {
      case Loss::squared:
        return (a - y) * (a - y) / 2;
      case Loss::hinge:
        return std::max<Real>(0, 1 - m);
      case Loss::squared_hinge:
        return m < 1 ? (1 - m) * (1 - m) : 0;
      case Loss::poisson:
        return std::exp(a) - m + at_rate(y);
      case Loss::huber:
        return std::fabs(a - y) <= limit ? (a - y) * (a - y) / 2
                                         : limit * (std::fabs(a - y) - limit / 2);
      case Loss::quantile:  // has no certificate
      case Loss::logistic:
        break;
    }
    return std::log1p(std::exp(-std::fabs(m))) + std::max<Real>(0, -m);
  }
  Real slope(Real a, Real y) const {
    const Real m = y * a;
    switch (kind) {
      case Loss::squared:
        return a - y;
      case Loss::hinge:
        return m < 1 ? -y : 0;
      case Loss::squared_hinge:
        return m < 1 ? -2 * y * (1 - m) : 0;
      case Loss::poisson:
        return std::exp(a) - y;
      case Loss::huber:
        return std::clamp(a - y, -limit, limit);
      case Loss::quantile:
      case Loss::logistic:
        break;
    }
    return -y / (1 + std::exp(m));
  }
  // L*(v) = sup over a of v a - L(a, y). For losses of classes, -v y is at least 0.
  Real conjugate(Real v, Real y) const {
    const Real z = -v * y;
    const auto x_log_x = [](Real x) { return x > 0 ? x * std::log(x) : 0; };
    switch (kind) {
      case Loss::squared:
        return v * v / 2 + v * y;
      case Loss::hinge:
        return -z;
      case Loss::squared_hinge:
        return z * z / 4 - z;
      case Loss::poisson:
        return at_rate(v + y) - at_rate(y);
      case Loss::huber:
        return v * v / 2 + v * y;
      case Loss::quantile:
      case Loss::logistic:
        break;
    }
    return x_log_x(z) + (z < 1 ? (1 - z) * std::log1p(-z) : 0);
  }
};

}  // namespace thresh
