// A quadratic model of the loss over a few hundred candidate features, and the best K of them in
// it.
//
// At fixed weights every row adds its slope s and its curvature c at its margin a:
//
//     Q(w) = 1/2 w'Hw - r'w + rho/2 |w|^2,    H = sum c x x',    r = sum (c a - s) x
//
// so that the minimum of Q is a Newton step. Features enter and leave the model one at a time by a
// pivot on the matrix [H + rho I, r; r', 0] (Goodnight's sweep operator): what a feature inside
// would cost to lose, and one outside would gain, is read off its row and the right-hand side.
//
// Cost: O(m^2) for a row with m non-zeros among the C candidates, O(C^2) for a pivot, C^2 numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/budget/refit.hpp"

namespace thresh {

class Curvature {
 public:
  // `candidates`: ascending slots.
  Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept);

  const std::vector<std::uint32_t>& candidates() const { return support_.slots(); }
  void clear();
  void add(const Row& row, double margin, double slope, double curvature);

  // The K candidates with which Q is lowest, as far as dropping, adding and swapping single ones
  // from `current` leads, and their weights at its minimum. Those with `kept` stay whatever they
  // cost. `scale` is what the rows added count for.
  SparseWeights choose(std::uint64_t k, const std::vector<char>& current,
                       const std::vector<char>& kept, double scale) const;

 private:
  struct Met {
    std::uint32_t place;
    double value;
  };
  double& at(std::size_t i, std::size_t j) { return matrix_[i * side_ + j]; }

  Support support_;
  double unit_;
  bool learns_intercept_;
  std::size_t side_;            // candidates, the intercept, the right-hand side
  std::vector<double> matrix_;  // lower half
  std::vector<Met> met_;        // of the candidates, in a row
  std::vector<double> dense_;   // a row of many of them
};

}  // namespace thresh
