// A quadratic model of the loss over a few hundred candidate features.
//
// At fixed weights every row adds its slope s and its curvature c at its margin a:
//
//     Q(w) = 1/2 w'Hw - r'w + 1/2 sum rho_j w_j^2,    H = sum c x x',    r = sum (c a - s) x
//
// so that the minimum of Q is a Newton step. The ridge rho_j is as large as values of the feature
// are where it occurs, for the share of rows where it does, and the same for all in the others:
// dense features come on one scale, words keep that of their encoding.
//
// Rows wait until there are a quarter as many as candidates. Then all of them are added to the
// matrix H at once, so that a line of H is fetched once for many rows. If there never are so many
// rows, there is no matrix: the model is its rows.
//
// Cost: O(m^2) for a row with m non-zeros among the C candidates, C^2 numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/budget/support_rows.hpp"

namespace thresh {

class Curvature {
 public:
  // `candidates`: slots, by place. `remembers`: rows are few and come again.
  Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept,
            bool remembers = false);

  const std::vector<std::uint32_t>& candidates() const { return rows_.slots(); }
  void clear();

  // Margins and sums are about this row from now on.
  void meet(const Row& row) { met_ = rows_.meet(row); }
  // With weights by slot, of which only candidates have any, and without an intercept.
  double margin(const double* weights) const {
    const auto weight_of = [&](std::uint32_t place) { return weights[rows_.slots()[place]]; };
    return sum_over(met_, false, weight_of) / unit_;
  }
  void add(double margin, double slope, double curvature);

  double unit() const { return unit_; }
  bool learns_intercept() const { return learns_intercept_; }

  // Whether all rows are still waiting.
  bool has_few_rows() const { return matrix_.empty(); }
  struct Waiting {
    const double* values;        // by candidate
    double curvature, response;  // c, and c a - s
  };
  std::size_t waiting() const { return curvatures_.size(); }
  Waiting waiting(std::size_t i) const {
    return {values_.data() + i * rows_.size(), curvatures_[i], responses_[i]};
  }

  // rho of the candidates and of the intercept.
  std::vector<double> ridges() const;
  // [H + rho, r; r', 0] over the candidates, the intercept and the right-hand side: the lower
  // half, by rows. `scale` is what the rows added count for.
  std::vector<double> system(double scale) const;

  // rho of a feature whose values are of mean size, in units of a typical row: what LIBLINEAR calls
  // C = 10.
  static constexpr double kRidge = 0.1;
  static constexpr double kInterceptRidge = 1e-3;
  // Of a mean square, relative to the mean: smaller values could be noise of larger ones' digits.
  static constexpr double kLeastSize = 1e-6;

 private:
  void wait(double curvature, double response);
  void add_pairs(double curvature, double response);
  void add_waiting(std::vector<double>& matrix) const;

  SupportRows rows_;
  double unit_;
  bool learns_intercept_;
  std::size_t side_;            // candidates, the intercept, the right-hand side
  std::size_t room_;            // for rows that wait
  std::vector<double> matrix_;  // lower half; empty as long as all rows wait
  std::span<const Met> met_;    // of the candidates, in the row
  std::vector<double> values_;  // of the rows that wait, zeros included
  std::vector<double> curvatures_, responses_;
  double added_ = 0;                     // rows,
  std::vector<double> times_, squares_;  // and how often candidates were met there, how large
};

}  // namespace thresh
