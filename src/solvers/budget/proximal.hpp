// Steps of FTRL-Proximal (McMahan et al. 2013, Algorithm 1), a coordinate at a time or many at
// once.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thresh {

// The sums of one coordinate.
struct ProximalSums {
  double z = 0;
  double root = 0;  // of n, the sum of the squares of the gradients

  // The weight, if nothing is thresholded.
  double weight(double alpha, double beta) const { return -z * alpha / (beta + root); }
  void follow(double gradient, double weight, double alpha) {
    const double more = std::sqrt(root * root + gradient * gradient);
    z += gradient - (more - root) * (weight * (1 / alpha));
    root = more;
  }
};

// What coordinates that take a step together have in common.
struct ProximalStep {
  double slope;  // a gradient is this times the value
  double alpha = 1;
  double beta = 1;
  double lambda = 0;  // by which weights are thresholded
  double unit = 1;    // of weights
};

// Steps of n coordinates, as wide as the processor can: roots and quotients are what a step costs.
// Each number is the one that ProximalSums gives. Says how many more weights are not zero.
std::int64_t take_steps(std::size_t n, double* z, double* root, double* weight, const double* value,
                        const ProximalStep& step);

// Room for coordinates that lie apart.
struct ProximalStretch {
  static constexpr std::size_t kMost = 64;
  std::array<double, kMost> z, root, weight, value;

  std::int64_t take(std::size_t n, const ProximalStep& step) {
    return take_steps(n, z.data(), root.data(), weight.data(), value.data(), step);
  }
};

}  // namespace thresh
