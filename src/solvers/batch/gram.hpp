// The squared loss over all rows as a quadratic form, from stored products (`--gram`).
//
// With A the rows, a column of ones for an intercept, S their weights and Y their labels,
//
//     mean loss at x = (x'Gx - 2 x'c + Y'SY) / (2 sum S),   G = A'SA,   c = A'SY.
//
// Cost: O(sum of the squares of the rows' non-zeros) to make, O(d^2) for a gradient and 8 d^2 bytes
// for d columns, however many rows there are.
#pragma once

#include <vector>

#include "data/feed/matrix.hpp"

namespace thresh {

class Gram {
 public:
  Gram(const Matrix& matrix, bool intercept);

  static double bytes(std::size_t columns) {
    return 8 * static_cast<double>(columns) * static_cast<double>(columns);
  }

  // Sets the gradient of the mean loss at a point and returns the loss. The last coordinate of both
  // is the intercept's, if there is one.
  double differentiate(const std::vector<double>& point, std::vector<double>& gradient) const;

  std::uint64_t reads() const { return reads_; }  // of stored values, to make it

 private:
  std::size_t columns_;
  std::vector<double> products_;     // G, row by row
  std::vector<double> with_labels_;  // c
  double labels_ = 0;                // Y'SY
  double total_weight_;
  std::uint64_t reads_ = 0;
};

}  // namespace thresh
