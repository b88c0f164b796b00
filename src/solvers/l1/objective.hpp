// The objective that l1 minimises, with columns as variables:
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + sum_j price_j(w_j) + (l2/2) |w|^2,   a = X w + b
//
// c_i is the weight of row i over the sum of weights. A positive weight costs `up` per unit, a
// negative one `down`. These two prices cover penalties of single features, forbidden signs
// (infinite price) and the intercept (price zero), which is the last column, all ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "data/feed/matrix.hpp"
#include "loss/loss.hpp"
#include "solvers/signs.hpp"

namespace thresh {

struct Price {
  double up, down;

  // A gradient above the price by at most this share is equal to it up to rounding, and moves no
  // weight away from zero.
  static constexpr double kRounding = 1e-13;

  double of(double weight) const {
    return weight > 0 ? up * weight : weight < 0 ? -down * weight : 0;
  }
  // The slope of the price at a weight of this sign.
  double slope(double weight) const { return weight > 0 ? up : -down; }
  // argmin over w of h (w - v)^2 / 2 + price(w).
  double shrink(double v, double h) const {
    const double pull = v * h;
    if (pull > up * (1 + kRounding)) return v - up / h;
    return -pull > down * (1 + kRounding) ? v + down / h : 0;
  }
  // How strongly the gradient pulls a zero weight away from zero: above 1 it moves.
  double pull(double gradient) const { return std::max(-gradient / up, gradient / down); }
  // Whether a gradient moves a weight away from zero.
  bool draws(double gradient) const {
    return -gradient > up * (1 + kRounding) || gradient > down * (1 + kRounding);
  }
  // The distance of a gradient from optimality for this weight.
  double violation(double weight, double gradient) const {
    if (weight != 0) return std::fabs(gradient + slope(weight));
    return std::max({0.0, -gradient - up, gradient - down});
  }
};

class L1Objective {
 public:
  // The current point of the descent: all values per row.
  struct Point {
    std::vector<double> margins;
    std::vector<double> slopes;      // c_i L'(a_i)
    std::vector<double> curvatures;  // c_i L''(a_i)
    double loss = 0;                 // sum c_i L(a_i)
  };

  // `factors` multiply lambda, by column. Empty: all are 1.
  L1Objective(std::shared_ptr<const Matrix> matrix, LossFunction loss, bool intercept, double l2,
              std::vector<double> factors, const Signs& signs, bool compensated = false);

  std::size_t rows() const { return matrix_->rows(); }
  std::size_t features() const { return matrix_->columns(); }
  // The features, then the intercept if there is one.
  std::size_t columns() const { return features() + (ones_.empty() ? 0 : 1); }
  bool has_intercept() const { return !ones_.empty(); }
  bool is_intercept(std::size_t j) const { return j == features(); }
  SparseVector column(std::size_t j) const {
    return is_intercept(j) ? SparseVector{all_rows_.data(), ones_.data(), rows()}
                           : matrix_->column(j);
  }
  const Matrix& matrix() const { return *matrix_; }

  Price price(std::size_t j, double lambda) const {
    if (is_intercept(j)) return {0, 0};
    const double base = factors_.empty() ? lambda : lambda * factors_[j];
    const double sign = signs_.empty() ? 0 : signs_[j];
    constexpr double kForbidden = std::numeric_limits<double>::infinity();
    return {sign < 0 ? kForbidden : base, sign > 0 ? kForbidden : base};
  }
  double l2(std::size_t j) const { return is_intercept(j) ? 0 : l2_; }
  // sqrt(sum c_i x_ij^2) and max |x_ij|.
  double norm(std::size_t j) const { return norms_[j]; }
  double largest(std::size_t j) const { return largest_[j]; }
  // How far one feature may move a margin at first: if the curvature varies, a quadratic model is
  // only good nearby.
  double first_trust() const {
    constexpr double kBands = 4;  // of width `soft`
    if (loss_.kind() == Loss::squared) return std::numeric_limits<double>::infinity();
    return is_clipped() ? kBands * soft_ : 2;
  }
  // None for poisson.
  std::optional<double> curvature_bound() const { return loss_.curvature(); }
  // A curvature that many rows may have.
  double usual_curvature() const;

  // The slopes of huber and quantile are lines between two limits. Within a few steps the rows
  // between the limits change, all of them for quantile, where they are a single margin. So these
  // losses are minimised with wide lines first, over residuals up to `width`, then with narrower
  // ones, down to that of huber. The bounds `true_loss` and `true_dual` are of the loss itself.
  bool is_clipped() const { return loss_.kind() == Loss::huber || loss_.kind() == Loss::quantile; }
  void soften(double width);
  double softness() const { return soft_; }
  // The width with which the loss is the true one; 0 for quantile.
  double true_width() const { return loss_.kind() == Loss::huber ? truth_.highest() : 0; }
  // A width that has most residuals of a constant model.
  double first_width() const;
  double true_loss(const Point& point) const;
  double true_dual(const Point& point, double scale) const;

  // Computes everything else from the margins.
  void evaluate(Point& point) const;
  // Moves the intercept until the slopes sum to zero, as the dual requires. Returns the change.
  double settle_intercept(Point& point) const;
  // sum_i slopes_i x_ij
  double gradient(std::size_t j, const Point& point) const;
  // The value of the dual at `scale` times the slopes, without the terms of l2.
  double dual(const Point& point, double scale) const;

 private:
  std::shared_ptr<const Matrix> matrix_;
  double dual_of(const LossFunction& loss, const Point& point, double scale) const;
  double shift_to_zero(Point& point) const;

  LossFunction truth_;
  LossFunction loss_;  // the truth or, for a while, a softer one
  double soft_ = 0;    // see soften()
  bool compensated_;
  double l2_;
  std::vector<double> shares_;   // c_i
  std::vector<double> factors_;  // by column
  std::vector<double> signs_;    // by column: the only allowed sign, or 0; empty: any
  std::vector<double> ones_;     // the intercept's column; empty without an intercept
  std::vector<std::uint32_t> all_rows_;
  std::vector<double> norms_, largest_;
};

}  // namespace thresh
