// The values of a vector in a ball, for steps that change few of them: the same as BallTree, but
// many times faster. BallTree explains raw values and the shift.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "projection/exact_sum.hpp"

namespace thresh {

class BallBuckets {
 public:
  BallBuckets();
  ~BallBuckets();
  BallBuckets(BallBuckets&&) noexcept;
  BallBuckets& operator=(BallBuckets&&) noexcept;

  // A value at or below the shift counts as zero: it is not stored and cannot be erased.
  void insert(double raw);
  void erase(double raw);

  double shift() const { return shift_; }
  std::size_t size() const { return size_; }

  // Raises the shift until the magnitudes sum to at most the radius, and drops the zeros.
  double project(double radius);

  // Removes all values and the shift, to start rebasing.
  void clear();
  // Sets the shift of an empty ball.
  void start_at(double shift) { shift_ = shift; }

 private:
  struct Node;
  // The values between two bounds: loose, or split by a node once there are many.
  struct alignas(64) Bucket {
    Wide sum = 0;  // of fractions as integers; exact, so erasing undoes inserting
    std::size_t count = 0;
    std::unique_ptr<Node> split;
    std::vector<double> values;
  };
  class Search;

  void put(Bucket& bucket, double raw, int digit_place);
  void split(Bucket& bucket, int digit_place);
  void vacate(std::size_t binade);
  std::size_t occupied_below(std::size_t end) const;
  bool above_shift(double radius) const;
  void drop_zeros();
  void drop_within(Bucket& bucket, int digit_place);

  std::vector<Bucket> binades_;                  // by a double's exponent
  std::array<std::uint64_t, 32> occupied_ = {};  // one bit per binade
  std::size_t size_ = 0;
  double shift_ = 0;
};

}  // namespace thresh
