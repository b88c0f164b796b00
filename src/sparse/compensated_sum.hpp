// Neumaier's sum: the error stays at a rounding or two however many terms there are, and terms can
// be taken away again without leaving their rounding errors behind.
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
  // After an overflow the correction is NaN, the plain sum still an honest infinity.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace thresh
