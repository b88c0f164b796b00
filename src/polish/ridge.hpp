// Linear models of a few features, fitted to their optimum:
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + 1/2 sum_j rho_j w_j^2,   a = X w + b,   c_i the row's
//     weight
//
// by Newton's method with a line search. Up to 64 columns the Newton equations are solved by
// Cholesky's method; if there are fewer rows than columns, up to 512 and with one rho, in terms of
// the rows (Woodbury's identity); otherwise by conjugate gradients, see Preconditioner.
//
// Cost: O(entries) per step of conjugate gradients. With few columns or rows a step of Newton's
// method takes O(side^3) and one or two passes over the entries; the products of all rows are
// summed once.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "loss/loss.hpp"
#include "polish/compact_rows.hpp"
#include "polish/preconditioner.hpp"
#include "polish/row_sums.hpp"
#include "sparse/cholesky.hpp"

namespace thresh {

// When a fit ends.
struct FitEnd {
  // Once a Newton step promises to lower the objective by less than this share of it, or clearly
  // will before its equations are solved.
  double converged = 1e-9;
  // Or once a dual bound shows that the objective cannot get below this.
  double below = std::numeric_limits<double>::infinity();
};

struct RidgeModel {
  std::vector<double> weights;  // by column
  double intercept = 0;
  double objective = 0;  // of a fit
};

// sum_i c_i x_i x_i', its lower triangle, with a column of ones behind the others.
SquareMatrix curved_products(const SupportMatrix& rows, std::span<const double> curvatures);

class RidgeProblem {
 public:
  enum class Method { columns, rows, conjugates };

  // The loss must have a curvature. `targets` replace the labels of the rows, which must outlive
  // this object as `targets` must.
  RidgeProblem(const SupportMatrix& rows, std::span<const double> targets, LossFunction loss,
               bool intercept, std::optional<Method> method = std::nullopt)
      : rows_(rows),
        sums_(rows),
        preconditioner_(rows),
        targets_(targets),
        loss_(loss),
        intercept_(intercept),
        method_(method) {}

  // `ridges` has rho of every column, all above 0.
  RidgeModel fit(std::span<const double> ridges, RidgeModel start, const FitEnd& end = {}) const;
  RidgeModel fit(double ridge, RidgeModel start, const FitEnd& end = {}) const {
    return fit(std::vector<double>(rows_.columns, ridge), std::move(start), end);
  }
  // The signs that weights may have, by column: 1, -1, or 0 for any; empty: any. Fits then find the
  // optimum with these signs; other weights are zero.
  void constrain(std::vector<double> signs) { signs_ = std::move(signs); }
  std::size_t rows() const { return rows_.rows(); }
  bool is_large() const { return sums_.parts() > 1; }
  // Forgets what earlier fits have left for later ones: they then take the same steps as the first.
  void start_afresh() { preconditioner_.forget(); }
  // Fits end early once this is true.
  void end_with(const std::atomic<bool>* stop) { stop_ = stop; }
  // The method for these ridges, unless the caller chose one.
  Method method(std::span<const double> ridges) const;
  // c_i L(a_i, y_i), by row, and their sum.
  std::vector<double> losses(const RidgeModel& model) const;
  double loss(const RidgeModel& model) const;
  // c_i |a_i - y_i|, by row, which a few extreme rows cannot decide.
  std::vector<double> residuals(const RidgeModel& model) const;
  std::vector<double> margins(const RidgeModel& model) const;

 private:
  struct Point {
    std::vector<double> margins, slopes, curvatures;  // by row; the latter two times c_i
    double loss = 0;
  };
  using Vector = RidgeVector;

  RidgeModel fit_free(std::span<const double> ridges, RidgeModel start, const FitEnd& end) const;
  RidgeModel fit_signed(std::span<const double> ridges, RidgeModel start, const FitEnd& end) const;
  bool has_wrong_sign(std::size_t column, double weight) const {
    return signs_[column] * weight < 0;
  }
  // The held column that is drawn most strongly to its allowed side, if any.
  std::optional<std::size_t> drawn_away(const RidgeModel& model, std::span<const char> held,
                                        std::span<const double> ridges) const;
  bool stopped() const { return stop_ != nullptr && stop_->load(); }
  double evaluate(Point& point) const;
  Vector gradient(const Point& point, const RidgeModel& model, std::span<const double> rho) const;
  // The diagonal of the Newton equations, nearly.
  Vector diagonal(const Point& point, std::span<const double> rho) const;
  Vector direction(const Point& point, const Vector& gradient, const Vector& diagonal,
                   std::span<const double> rho) const;
  // A number that no objective is below: the dual objective near the step's end or at the point.
  double bound(const Point& point, std::span<const double> moved,
               std::span<const double> rho) const;
  // The dual objective at these slopes of the rows, times c_i; minus infinity if they are none.
  double dual(std::vector<double> slopes, std::span<const double> rho) const;
  // Changes slopes so that their sum is zero, as at any optimum with an intercept.
  bool balance(std::span<double> slopes) const;
  // The matrix of the Newton equations, with the intercept's line behind the others.
  SquareMatrix newton_matrix(const Point& point, std::span<const double> rho) const;
  Vector solve_by_columns(const Point& point, const Vector& gradient,
                          std::span<const double> rho) const;
  Vector solve_by_rows(const Point& point, const Vector& gradient, double rho) const;
  void multiply_rows() const;
  // For conjugate gradients; null if the rows are too few to be worth the copy. A Newton step needs
  // an exact gradient only, not exact equations.
  const CompactRows* compact() const;
  Vector solve_by_conjugates(const Point& point, const Vector& gradient, const Vector& diagonal,
                             std::span<const double> rho) const;
  template <class Precondition, class Product>
  Vector conjugates(const Vector& gradient, double loss, const Precondition& precondition,
                    const Product& multiplied) const;
  // X'C X v
  Vector multiply(const Point& point, const Vector& v) const;
  Vector multiply(const CompactRows& rows, const Point& point, const Vector& v) const;
  // sum_i by_row_i x_i, and the sum of by_row.
  Vector add_columns(std::span<const double> by_row) const;

  const SupportMatrix& rows_;
  RowSums sums_;
  mutable Preconditioner preconditioner_;
  std::span<const double> targets_;
  LossFunction loss_;
  bool intercept_;
  std::optional<Method> method_;
  std::vector<double> signs_;
  const std::atomic<bool>* stop_ = nullptr;
  mutable std::shared_ptr<const CompactRows> compact_;  // made when it is needed
  mutable std::vector<double> products_;  // of rows i and k <= i; made when they are needed
};

}  // namespace thresh
