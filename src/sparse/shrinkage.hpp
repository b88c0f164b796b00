// Uniform shrinkage of all weights, paid only when a weight is looked at.
//
// S(S(w, a), b) = S(w, a + b): what a weight has not paid yet is the difference of two totals, so a
// step that shrinks everything costs nothing. Weights above a ceiling do not shrink, and stay above
// it until they are touched, so the same holds for them.
#pragma once

#include <cmath>
#include <limits>

#include "sparse/kernels.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

class Shrinkage {
 public:
  explicit Shrinkage(double ceiling = std::numeric_limits<double>::infinity())
      : ceiling_(ceiling) {}

  void ensure_slots(std::size_t n) { paid_.ensure(n); }

  // From now on every weight owes so much more.
  void add(double amount) { total_ += amount; }

  // The weight of a slot after it has paid.
  double settle(std::size_t slot, double weight) {
    if (paid_[slot] == total_) return weight;  // without a write: most pages stay untouched
    const double after = settled(slot, weight);
    paid_[slot] = total_;
    return after;
  }
  // The same without paying.
  double settled(std::size_t slot, double weight) const {
    const double owed = total_ - paid_[slot];
    return owed == 0 || std::fabs(weight) > ceiling_ ? weight : soft_threshold(weight, owed);
  }
  // Whether it is zero, and stays so. A NaN is not.
  bool is_gone(std::size_t slot, double weight) const {
    const double size = std::fabs(weight);
    return size <= total_ - paid_[slot] && size <= ceiling_;
  }

 private:
  double ceiling_;
  double total_ = 0;
  ZeroedArray<double> paid_;
};

}  // namespace thresh
