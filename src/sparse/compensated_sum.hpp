// Neumaier's sum. Its error is one or two roundings for any number of terms. Subtracting a term
// again leaves no rounding error of it behind.
#pragma once

#include <cmath>

namespace thresh {

class CompensatedSum {
 public:
  void add(double x) {
    const double total = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - total) + x : (x - total) + sum_;
    sum_ = total;
  }
  // After an overflow the correction is NaN, but the plain sum is the right infinity.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

  template <class Archive>
  void archive(Archive& a) {
    a(sum_, lost_);
  }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace thresh
