#include "solvers/budget/pivots.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

// Pivots on the matrix, which is symmetric: only its lower half is updated.
class ByMatrix : public Pivots {
 public:
  ByMatrix(const Curvature& model, double scale)
      : side_(model.candidates().size() + 2),
        matrix_(model.system(scale)),
        ridges_(model.ridges()),
        inside_(side_),
        column_(side_) {}

  bool inside(std::size_t i) const override { return inside_[i] != 0; }
  double weight(std::size_t i) const override { return matrix_[(side_ - 1) * side_ + i]; }
  double worth(std::size_t i) const override {
    const double pivot = std::fabs(matrix_[i * side_ + i]);
    const double weight = ByMatrix::weight(i);
    return pivot > ridges_[i] / 2 || inside_[i] != 0 ? weight * weight / pivot : 0;
  }

  void turn(std::size_t p) override {
    const double inverse = 1 / at(p, p);
    for (std::size_t i = 0; i < side_; ++i) column_[i] = at(i, p);
    for (std::size_t i = 0; i < side_; ++i) {
      const double factor = column_[i] * inverse;
      if (i == p || factor == 0) continue;
      add_scaled(matrix_.data() + i * side_, -factor, column_.data(), i + 1);
    }
    for (std::size_t i = 0; i < side_; ++i) at(i, p) = column_[i] * std::fabs(inverse);
    at(p, p) = -inverse;
    inside_[p] = inside_[p] == 0 ? 1 : 0;
  }

 private:
  double& at(std::size_t i, std::size_t j) {
    return matrix_[std::max(i, j) * side_ + std::min(i, j)];
  }

  std::size_t side_;
  std::vector<double> matrix_;
  std::vector<double> ridges_;
  std::vector<char> inside_;
  std::vector<double> column_;
};

// With u_i = sqrt(c) x_i / sqrt(rho_i), one number per row, and b = (c a - s) / sqrt(c):
//
//     (H + diag rho)_ij = sqrt(rho_i rho_j) (I + U'U)_ij,   r_i = sqrt(rho_i) u_i'b
//
// All results follow from P = (I + the sum of u u' over the features inside)^-1, by v_i = u_i'P b
// and e_i, which is 1 + u_i'P u_i outside and 1 - u_i'P u_i inside. A turn is a rank-one change of
// P (Sherman-Morrison) and replaces e of the turned feature by its inverse.
//
// After a turn P is 1 / e in the direction of u and at most 1 in others. If 1 / e were lost in
// rounding beside 1, the turn could not be undone. So huge values or weights get a larger ridge.
class ByRows : public Pivots {
 public:
  ByRows(const Curvature& model, double scale)
      : rows_(model.waiting()),
        side_(model.candidates().size() + 1),
        roots_(model.ridges()),
        u_(rows_ * side_),
        p_(rows_ * rows_),
        e_(side_, 1.0),
        v_(side_),
        inside_(side_),
        inverse_p_(rows_),
        products_(side_) {
    for (double& root : roots_) root = std::sqrt(root);
    for (std::size_t k = 0; k < rows_; ++k) {
      const Curvature::Waiting row = model.waiting(k);
      const double root = std::sqrt(scale * row.curvature);
      double* const line = &u_[k * side_];
      for (std::size_t i = 0; i + 1 < side_; ++i) line[i] = root * row.values[i] / roots_[i];
      line[side_ - 1] = root / roots_.back();
      const double b = root > 0 ? scale * row.response / root : 0;
      for (std::size_t i = 0; i < side_; ++i) {
        e_[i] += line[i] * line[i];
        v_[i] += line[i] * b;
      }
      p_[k * rows_ + k] = 1;
    }
    const double largest = *std::max_element(e_.begin(), e_.end());
    if (largest > kLargest) widen_ridge(largest / kLargest);
    largest_ = e_;
  }

  bool inside(std::size_t i) const override { return inside_[i] != 0; }
  double weight(std::size_t i) const override { return v_[i] / roots_[i]; }
  double worth(std::size_t i) const override { return v_[i] * v_[i] / e_[i]; }

  void turn(std::size_t p) override {
    const double e = e_[p];
    const double factor = (inside_[p] != 0 ? 1 : -1) / e;
    for (std::size_t k = 0; k < rows_; ++k) {
      double sum = 0;
      for (std::size_t l = 0; l < rows_; ++l) sum += p_[k * rows_ + l] * u_[l * side_ + p];
      inverse_p_[k] = sum;
    }
    std::fill(products_.begin(), products_.end(), 0.0);
    for (std::size_t k = 0; k < rows_; ++k) {
      add_scaled(products_.data(), inverse_p_[k], &u_[k * side_], side_);
      add_scaled(&p_[k * rows_], factor * inverse_p_[k], inverse_p_.data(), rows_);
    }
    const double v = v_[p];
    add_scaled(v_.data(), factor * v, products_.data(), side_);
    for (std::size_t i = 0; i < side_; ++i) {
      const double change = factor * products_[i] * products_[i];
      // P is between 0 and I in exact arithmetic.
      e_[i] = inside_[i] != 0 ? std::clamp(e_[i] - change, 1 / largest_[i], 1.0)
                              : std::clamp(e_[i] + change, 1.0, largest_[i]);
    }
    // Computed directly: differences of large values would lose all digits.
    v_[p] = v / e;
    e_[p] = 1 / e;
    inside_[p] = inside_[p] == 0 ? 1 : 0;
  }

 private:
  static constexpr double kLargest = 1e6;  // limit of e: in and out again costs four digits

  void widen_ridge(double by) {
    for (double& root : roots_) root *= std::sqrt(by);
    for (double& u : u_) u /= std::sqrt(by);
    for (double& v : v_) v /= std::sqrt(by);
    for (double& e : e_) e = 1 + (e - 1) / by;
  }

  std::size_t rows_;
  std::size_t side_;           // candidates and the intercept
  std::vector<double> roots_;  // of ridges
  std::vector<double> u_;      // by rows
  std::vector<double> p_;
  std::vector<double> e_, v_;
  std::vector<double> largest_;  // e with nothing inside
  std::vector<char> inside_;
  std::vector<double> inverse_p_, products_;  // P u and U'P u of the turned feature
};

}  // namespace

std::unique_ptr<Pivots> pivots_by_matrix(const Curvature& model, double scale) {
  return std::make_unique<ByMatrix>(model, scale);
}

std::unique_ptr<Pivots> pivots_by_rows(const Curvature& model, double scale) {
  return std::make_unique<ByRows>(model, scale);
}

std::unique_ptr<Pivots> pivots_of(const Curvature& model, double scale) {
  return model.has_few_rows() ? pivots_by_rows(model, scale) : pivots_by_matrix(model, scale);
}

}  // namespace thresh
