// Uniform shrinkage of all weights, applied to a weight only when it is used.
//
// S(S(w, a), b) = S(w, a + b), so the shrinkage that a weight still owes is the difference of two
// totals: that of now, and that of the time when it was last up to date, which the owner of the
// weight stores (`paid`). A step that shrinks all weights costs O(1). Weights above a ceiling do
// not shrink. They stay above it until they change, so the same holds for them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sparse/row_loops.hpp"

namespace thresh {

class Shrinkage {
 public:
  explicit Shrinkage(double ceiling = std::numeric_limits<double>::infinity())
      : ceiling_(ceiling) {}

  // Every weight owes `amount` more from now on.
  void add(double amount) { total_ += amount; }

  double total() const { return total_; }
  double ceiling() const { return ceiling_; }
  // The weight without the shrinkage applied to it so far. The settled one is this less total().
  static double raw(double weight, double paid) {
    return weight == 0 ? 0 : weight + std::copysign(paid, weight);
  }
  bool shrinks(double weight) const { return std::fabs(weight) <= ceiling_; }

  // The weight less the shrinkage that it owes. Afterwards total() has been paid.
  double settled(double weight, double paid) const {
    const double after = soft_threshold(weight, total_ - paid);
    // total - paid is NaN if both are infinite. No branches, so that loops use SIMD.
    const bool stays = (paid == total_) | !shrinks(weight);
    return stays ? weight : after;
  }
  // Whether the settled weight is zero and stays zero. False for NaN.
  bool is_gone(double weight, double paid) const {
    const double size = std::fabs(weight);
    return size <= total_ - paid && shrinks(size);
  }

  // For features that have two numbers each: the weight and what it has paid. Settles those of a
  // row and adds the products with its values to `sum`, one after the other. Returns the sum;
  // `nonzeros` follows the number of non-zero weights.
  double settle(const std::uint32_t* slots, const double* values, std::size_t n, double* pairs,
                double sum, std::uint64_t& nonzeros) const;

  template <class Archive>
  void archive(Archive& a) {
    a(total_);
  }

 private:
  double ceiling_;
  double total_ = 0;
};

}  // namespace thresh
