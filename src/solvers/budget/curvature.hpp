// A quadratic model of the loss over a few hundred candidate features.
//
// At fixed weights every row adds its slope s and its curvature c at its margin a:
//
//     Q(w) = 1/2 w'Hw - r'w + 1/2 sum rho_j w_j^2,    H = sum c x x',    r = sum (c a - s) x
//
// The minimum of Q is a Newton step. The ridge rho_j is a mean over the rows: rows with the feature
// count its mean square relative to other features, rows without it a constant that is the same for
// all. So dense features are put on one scale, and words retain the scale of their encoding.
//
// Rows wait until there are a quarter as many as candidates. Then all of them are added to H
// together, so that a line of H is fetched once for many rows. With fewer rows there is no matrix:
// the model is stored as its rows.
//
// Cost: O(m^2) for a row with m non-zeros among the C candidates; C^2 numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/budget/support_rows.hpp"
#include "sparse/archive.hpp"
#include "sparse/weight_array.hpp"

namespace thresh {

class Curvature {
 public:
  // `candidates` are slots, by place. `remembers`: rows are few and repeat.
  Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept,
            bool remembers = false);

  const std::vector<std::uint32_t>& candidates() const { return rows_.slots(); }
  void clear();

  // Sets the row for the next margins and sums.
  void meet(const Row& row) { met_ = rows_.meet(row); }
  // The margin without intercept. `weights` is by slot; only candidates have non-zero ones.
  double margin(const WeightArray& weights) const {
    const auto weight_of = [&](std::uint32_t place) { return weights[rows_.slots()[place]]; };
    return sum_over(met_, false, weight_of) / unit_;
  }
  void add(double margin, double slope, double curvature);

  double unit() const { return unit_; }
  bool learns_intercept() const { return learns_intercept_; }

  // Whether all rows are still waiting, so that there is no matrix.
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
  // [H + rho, r; r', 0] over the candidates, the intercept and the right-hand side: the lower half,
  // by rows. `scale` is the weight of the added rows.
  std::vector<double> system(double scale) const;

  // For the same candidates. The rows that it remembers are found again.
  void archive(Archive& a) {
    a(matrix_, values_, curvatures_, responses_, added_);
    a.in_place(times_, squares_);
    a.require(matrix_.empty() || matrix_.size() == side_ * side_);
    a.require(curvatures_.size() <= room_ && responses_.size() == curvatures_.size() &&
              values_.size() == curvatures_.size() * rows_.size());
  }

  // rho of a feature with values of mean size, in units of a typical row. Equivalent to C = 10 in
  // LIBLINEAR.
  static constexpr double kRidge = 0.1;
  static constexpr double kInterceptRidge = 1e-3;
  // Lower limit of a mean square relative to the mean: smaller values may be rounding noise.
  static constexpr double kLeastSize = 1e-6;

 private:
  void wait(double curvature, double response);
  void add_pairs(double curvature, double response);
  void add_waiting(std::vector<double>& matrix) const;

  SupportRows rows_;
  double unit_;
  bool learns_intercept_;
  std::size_t side_;            // candidates, the intercept, the right-hand side
  std::size_t room_;            // rows that may wait
  std::vector<double> matrix_;  // lower half; empty while all rows wait
  std::span<const Met> met_;    // the candidates in the current row
  std::vector<double> values_;  // of the waiting rows, with zeros
  std::vector<double> curvatures_, responses_;
  double added_ = 0;                     // number of rows
  std::vector<double> times_, squares_;  // how often each candidate occurred; sums of squares
};

}  // namespace thresh
