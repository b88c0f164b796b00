// A quadratic model of the loss over a few hundred candidate features.
//
// At fixed weights every row adds its slope s and its curvature c at its margin a:
//
//     Q(w) = 1/2 w'Hw - r'w + rho/2 |w|^2,    H = sum c x x',    r = sum (c a - s) x
//
// so that the minimum of Q is a Newton step.
//
// Cost: O(m^2) for a row with m non-zeros among the C candidates, C^2 numbers.
#pragma once

#include <cstdint>
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

  double unit() const { return unit_; }
  bool learns_intercept() const { return learns_intercept_; }
  // [H + rho I, r; r', 0] over the candidates, the intercept and the right-hand side: the lower
  // half, by rows. `scale` is what the rows added count for.
  std::vector<double> system(double scale) const;

  // rho, in units of a typical row: what LIBLINEAR calls C = 10.
  static constexpr double kRidge = 0.1;
  static constexpr double kInterceptRidge = 1e-3;

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
