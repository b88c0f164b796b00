// A quadratic model that features enter and leave one at a time. It gives the cost of dropping and
// the gain of adding each feature, with the weights of the others at their optimum.
#pragma once

#include <cstddef>
#include <memory>

#include "solvers/budget/curvature.hpp"

namespace thresh {

class Pivots {
 public:
  virtual ~Pivots() = default;

  virtual bool inside(std::size_t i) const = 0;
  // The weight of a feature inside at the minimum of Q.
  virtual double weight(std::size_t i) const = 0;
  // How much Q would rise without feature i (inside) or fall with it (outside).
  virtual double worth(std::size_t i) const = 0;
  // Adds feature i, or drops it if inside. The index after the last candidate is the intercept.
  virtual void turn(std::size_t i) = 0;
};

// Chooses the cheaper form. Nothing is inside. `scale` is the weight of the added rows.
std::unique_ptr<Pivots> pivots_of(const Curvature& model, double scale);
// By Goodnight's sweep operator on the matrix [H + rho I, r; r', 0]: O(C^2) per turn, C^2 numbers.
std::unique_ptr<Pivots> pivots_by_matrix(const Curvature& model, double scale);
// By the inverse of a matrix with one line per row: O(n C + n^2) time per turn and numbers, n rows.
std::unique_ptr<Pivots> pivots_by_rows(const Curvature& model, double scale);

}  // namespace thresh
