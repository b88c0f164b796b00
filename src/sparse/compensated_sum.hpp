// A sum that keeps what rounding would drop (Knuth's TwoSum), so that numbers can be added and
// later taken away again without leaving their rounding errors behind.
#pragma once

namespace thresh {

class CompensatedSum {
 public:
  CompensatedSum(double value = 0) : high_(value) {}

  CompensatedSum& operator+=(double x) {
    const double sum = high_ + x;
    const double shifted = sum - high_;
    low_ += (high_ - (sum - shifted)) + (x - shifted);
    high_ = sum;
    return *this;
  }
  CompensatedSum& operator-=(double x) { return *this += -x; }
  double value() const { return high_ + low_; }

 private:
  double high_;
  double low_ = 0;
};

}  // namespace thresh
