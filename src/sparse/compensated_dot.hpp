// Dot products as exact as if computed with twice the digits and rounded once (Ogita, Rump & Oishi
// 2005, Dot2). FMA gives the rounding error of each product, TwoSum that of each addition. A second
// sum collects these errors.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thresh {

class CompensatedDot {
 public:
  void add(double a, double b) {
    const double product = a * b;
    const double sum = sum_ + product;
    const double part = sum - sum_;
    lost_ += ((sum_ - (sum - part)) + (product - part)) + std::fma(a, b, -product);
    sum_ = sum;
  }
  // After an overflow the correction is NaN, but the plain sum is the right infinity.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

// The dot product of a dense and a sparse vector. Numbers of the dense one are `stride` apart.
double compensated_dot(const double* dense, const std::uint32_t* at, const double* values,
                       std::size_t size, std::size_t stride = 1);

}  // namespace thresh
