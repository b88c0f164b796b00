// Steps of FTRL-Proximal (McMahan et al. 2013, Algorithm 1), for one coordinate or many.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thresh {

// The units of values and targets, which make the learner independent of their scale.
struct Units {
  double value = 1;       // values are multiplied by this
  double target = 1;      // regression targets are divided by this
  double slope_unit = 0;  // slopes by this; 0: as targets
  double slope() const { return slope_unit > 0 ? slope_unit : target; }
  double weight() const { return value * target; }  // weights are multiplied by both
};

// The sums of one coordinate.
struct ProximalSums {
  double z = 0;
  double root = 0;  // sqrt(n), n the sum of squared gradients

  template <class Archive>
  void archive(Archive& a) {
    a(z, root);
  }

  // The weight without thresholding.
  double weight(double alpha, double beta) const { return -z * alpha / (beta + root); }
  void follow(double gradient, double weight, double alpha) {
    const double more = std::sqrt(root * root + gradient * gradient);
    z += gradient - (more - root) * (weight * (1 / alpha));
    root = more;
  }
};

// Parameters shared by all coordinates of a step.
struct ProximalStep {
  double slope;  // gradient = slope * value
  double alpha = 1;
  double beta = 1;
  double lambda = 0;  // threshold of the weights
  double unit = 1;    // of weights
};

// Steps of n coordinates with SIMD, because roots and divisions dominate the cost. Results equal
// those of ProximalSums. Returns the change in the number of non-zero weights.
std::int64_t take_steps(std::size_t n, double* z, double* root, double* weight, const double* value,
                        const ProximalStep& step);

// A buffer for coordinates that are not contiguous.
struct ProximalStretch {
  static constexpr std::size_t kMost = 64;
  std::array<double, kMost> z, root, weight, value;

  std::int64_t take(std::size_t n, const ProximalStep& step) {
    return take_steps(n, z.data(), root.data(), weight.data(), value.data(), step);
  }
};

}  // namespace thresh
