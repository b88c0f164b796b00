// A quadratic model in which features go in and out one at a time: what one inside would cost to
// lose, and one outside would gain, with the others at their best.
#pragma once

#include <cstddef>
#include <memory>

#include "solvers/budget/curvature.hpp"

namespace thresh {

class Pivots {
 public:
  virtual ~Pivots() = default;

  virtual bool inside(std::size_t i) const = 0;
  // Of a feature inside: its weight at the minimum of Q.
  virtual double weight(std::size_t i) const = 0;
  // What Q would rise without feature i, or fall with it.
  virtual double worth(std::size_t i) const = 0;
  // Lets feature i in or out. The one after the last candidate is the intercept.
  virtual void turn(std::size_t i) = 0;
};

// In the form that costs less, with nothing inside. `scale` is what the rows added count for.
std::unique_ptr<Pivots> pivots_of(const Curvature& model, double scale);
// By Goodnight's sweep operator on the matrix [H + rho I, r; r', 0]: O(C^2) for each turn, C^2
// numbers.
std::unique_ptr<Pivots> pivots_by_matrix(const Curvature& model, double scale);
// By the inverse of a matrix that has a line a row: O(n C + n^2) for n rows, so many numbers.
std::unique_ptr<Pivots> pivots_by_rows(const Curvature& model, double scale);

}  // namespace thresh
