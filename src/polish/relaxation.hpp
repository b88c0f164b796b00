// The best model of K features with the limit made convex, and a lower bound for every model of K
// features. With N of support_norm.hpp, the relaxed problem is
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + (R/2) N(w),   a = X w + b,   c_i the row's weight
//
// It is solved by accelerated proximal gradients (FISTA) with restarts and a step size that adapts.
// Any slopes v of the loss with sum_i c_i v_i = 0 (if there is an intercept) give a bound:
//
//     D(v) = -sum_i c_i L*(v_i) - (the K largest (x_j . c v)^2) / (2 R)
//
// Here v are the slopes at the model, with the intercept at its optimum. See docs/certificates.md.
//
// Cost: two passes over the entries and one over the columns per step.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "loss/loss.hpp"
#include "polish/ridge.hpp"
#include "polish/support_matrix.hpp"
#include "polish/support_norm.hpp"

namespace thresh {

struct RelaxedModel {
  RidgeModel model;            // its objective is P
  std::vector<double> slopes;  // c_i v_i
  double conjugates = 0;       // -sum_i c_i L*(v_i)
  double bound = 0;            // D, for models of these columns
  int steps = 0;               // of the fit
};

struct RelaxationEnd {
  double gap = 1e-4;                        // ends once P - D is less than this share of P,
  int most_steps = 20'000;                  // or after this many steps,
  const std::atomic<bool>* stop = nullptr;  // or once this is true
};

class Relaxation {
 public:
  // The arguments must outlive this object.
  Relaxation(const SupportMatrix& rows, std::span<const double> targets, LossFunction loss,
             bool intercept, double ridge, SupportNorm norm);

  // The point with the best bound that was met, from `start` on.
  RelaxedModel fit(RidgeModel start, const RelaxationEnd& end) const;
  // P and D of a model, with its intercept moved to the optimum.
  RelaxedModel judge(RidgeModel model) const;

 private:
  struct Point {
    std::vector<double> weights;
    double intercept = 0;
    std::vector<double> margins;
  };

  void add_rows(std::span<const double> weights, double intercept, std::vector<double>& to) const;
  std::vector<double> columns_of(std::span<const double> by_row) const;
  double evaluate(std::span<const double> margins, std::vector<double>& slopes) const;
  double best_intercept(std::vector<double>& margins) const;
  // Makes the slopes sum to zero: scales those of the heavier class down, or shifts them.
  void balance(std::vector<double>& slopes) const;
  double largest_curvature() const;
  // Makes one step from `from`; doubles the curvature until it is large enough.
  Point step(const Point& from, double& curvature) const;

  const SupportMatrix& rows_;
  std::span<const double> targets_;
  LossFunction loss_;
  bool intercept_;
  double ridge_;
  SupportNorm norm_;
  double total_ = 0;            // of the rows' weights
  double intercept_scale_ = 1;  // of squared steps of the intercept, in the metric of the weights
  double first_curvature_ = 1;
};

}  // namespace thresh
