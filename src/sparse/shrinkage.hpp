// Uniform shrinkage of all weights, applied to a weight only when it is used.
//
// S(S(w, a), b) = S(w, a + b), so the shrinkage that a weight still owes is the difference of two
// totals. A step that shrinks all weights costs O(1). Weights above a ceiling do not shrink. They
// stay above it until they change, so the same holds for them.
#pragma once

#include <cmath>
#include <limits>

#include "sparse/row_loops.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

class Shrinkage {
 public:
  explicit Shrinkage(double ceiling = std::numeric_limits<double>::infinity())
      : ceiling_(ceiling) {}

  void ensure_slots(std::size_t n) { paid_.ensure(n); }

  // Every weight owes `amount` more from now on.
  void add(double amount) { total_ += amount; }

  double total() const { return total_; }
  // The weight without the shrinkage applied to it so far. The settled one is this less total().
  double raw(std::size_t slot, double weight) const {
    return weight == 0 ? 0 : weight + std::copysign(paid_[slot], weight);
  }
  bool shrinks(double weight) const { return std::fabs(weight) <= ceiling_; }

  // Applies to a slot's weight the shrinkage that it owes.
  double settle(std::size_t slot, double weight) {
    if (paid_[slot] == total_) return weight;  // no write, so most pages stay untouched
    const double after = settled(slot, weight);
    paid_[slot] = total_;
    return after;
  }
  // The same, but does not record it.
  double settled(std::size_t slot, double weight) const {
    const double owed = total_ - paid_[slot];
    return owed == 0 || !shrinks(weight) ? weight : soft_threshold(weight, owed);
  }
  // Whether the settled weight is zero and stays zero. False for NaN.
  bool is_gone(std::size_t slot, double weight) const {
    const double size = std::fabs(weight);
    return size <= total_ - paid_[slot] && shrinks(size);
  }

 private:
  double ceiling_;
  double total_ = 0;
  ZeroedArray<double> paid_;
};

}  // namespace thresh
