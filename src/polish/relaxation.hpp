// The best model of K features with the limit made convex, and a lower bound for every model of K
// features. With N of support_norm.hpp, the relaxed problem is
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + (R/2) N(w),   a = X w + b,   c_i the row's weight
//
// It is solved by accelerated proximal gradients (FISTA) with restarts and a step size that adapts.
// Between them come steps of Newton's method on the piece of N that w lies on, see SupportNorm:
// without them a weak ridge or correlated columns take thousands of steps.
//
// Any slopes v of the loss with sum_i c_i v_i = 0 (if there is an intercept) give a bound:
//
//     D(v) = -sum_i c_i L*(v_i) - (the K largest (x_j . c v)^2) / (2 R)
//
// Here v are the slopes at the model, with the intercept at its optimum. See docs/certificates.md.
//
// Cost: two passes over the entries and one over the columns per step. A step of Newton's method
// costs the square of the entries per row, and the third power of the columns that are not 0; it is
// left out where that is more than a few hundred other steps.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
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
  int steps = 0;               // of the fit; those of Newton's method count by their cost
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;
inline bool is_over(const Deadline& until) {
  return until && std::chrono::steady_clock::now() >= *until;
}

struct RelaxationEnd {
  double gap = 1e-4;                        // ends once P - D is less than this share of P,
  int most_steps = 20'000;                  // or after this many steps,
  const std::atomic<bool>* stop = nullptr;  // or once this is true,
  Deadline until = std::nullopt;            // or then,
  // or once D is above this, or P below it and P - D small beside the distance.
  double wanted = std::numeric_limits<double>::infinity();
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
  double evaluate(std::span<const double> margins, std::vector<double>& slopes,
                  std::vector<double>& curvatures) const;
  double evaluate(std::span<const double> margins, std::vector<double>& slopes) const {
    std::vector<double> curvatures;
    return evaluate(margins, slopes, curvatures);
  }
  double best_intercept(std::vector<double>& margins) const;
  // Makes the slopes sum to zero: scales those of the heavier class down, or shifts them.
  void balance(std::vector<double>& slopes) const;
  double largest_curvature() const;
  // Makes one step from `from`; doubles the curvature until it is large enough.
  Point step(const Point& from, double& curvature) const;
  // Moves to a lower P by Newton's method, if that is worth its cost. Returns whether it has moved,
  // and adds what it cost in steps of the other kind.
  bool newton(Point& at, int& steps) const;
  // The direction to the optimum of the piece of N, on these columns and the intercept.
  std::vector<double> direction(const Point& from, const SupportNorm::Pieces& pieces,
                                std::span<const std::uint32_t> columns) const;
  std::optional<Point> moved_by(const Point& from, std::span<const double> by, double length,
                                const SupportNorm::Pieces& pieces,
                                std::span<const std::uint32_t> columns) const;
  double objective(const Point& at) const;
  bool ends(const RelaxationEnd& end, double lowest, double bound) const;

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
