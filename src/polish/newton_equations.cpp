// The Newton equations of a ridge problem, solved in three ways.

#include <algorithm>
#include <cmath>
#include <utility>

#include "polish/ridge.hpp"
#include "sparse/cholesky.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

// Keeps the equations definite if no row has any curvature.
constexpr double kInterceptRidge = 1e-9;

double product(std::span<const double> a, std::span<const double> b) {
  return sum_in_four(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

// The same sums in the same order, where no row lacks a column.
SquareMatrix dense_products(const SupportMatrix& rows, std::span<const double> curvatures) {
  const std::size_t n = rows.columns;
  SquareMatrix products(n + 1);
  std::vector<std::pair<double, const double*>> bent;  // rows with their curvatures
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (curvatures[i] == 0) continue;
    bent.emplace_back(curvatures[i], rows.row(i).values);
    products(n, n) += curvatures[i];
  }
  std::vector<Scaled> scaled(bent.size());
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < bent.size(); ++i) {
      scaled[i] = {bent[i].first * bent[i].second[k], bent[i].second + k};
      sum += scaled[i].a;
    }
    products(n, k) = sum;
    add_scaled(&products(k, k), scaled, n - k);
  }
  return products;
}

}  // namespace

SquareMatrix curved_products(const SupportMatrix& rows, std::span<const double> curvatures) {
  const std::size_t n = rows.columns;
  if (rows.entries() == n * rows.rows()) return dense_products(rows, curvatures);
  SquareMatrix products(n + 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double c = curvatures[i];
    if (c == 0) continue;
    const SparseVector row = rows.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      const double scaled = c * row.values[k];
      for (std::size_t l = k; l < row.size; ++l) {
        products(row.at[l], row.at[k]) += scaled * row.values[l];
      }
      products(n, row.at[k]) += scaled;
    }
    products(n, n) += c;
  }
  return products;
}

const CompactRows* RidgeProblem::compact() const {
  if (!compact_ && is_large() && CompactRows::can_hold(rows_)) {
    compact_ = std::make_shared<const CompactRows>(rows_);
  }
  return compact_.get();
}

RidgeProblem::Vector RidgeProblem::diagonal(const Point& point, std::span<const double> rho) const {
  if (const CompactRows* copy = method(rho) == Method::conjugates ? compact() : nullptr) {
    Vector sums = sums_.by_column({copy->arranged(rho), kInterceptRidge},
                                  [&](std::size_t i, const SparseVector&, Vector& part) {
                                    copy->add_squares(i, point.curvatures[i], part);
                                  });
    return {copy->restored(sums.weights), sums.intercept};
  }
  return sums_.by_column({{rho.begin(), rho.end()}, kInterceptRidge},
                         [&](std::size_t i, const SparseVector& row, Vector& part) {
                           for (std::size_t k = 0; k < row.size; ++k) {
                             part.weights[row.at[k]] +=
                                 point.curvatures[i] * row.values[k] * row.values[k];
                           }
                           part.intercept += point.curvatures[i];
                         });
}

RidgeProblem::Vector RidgeProblem::direction(const Point& point, const Vector& gradient,
                                             const Vector& diagonal,
                                             std::span<const double> rho) const {
  switch (method(rho)) {
    case Method::columns:
      return solve_by_columns(point, gradient, rho);
    case Method::rows:
      return solve_by_rows(point, gradient, rho.front());
    case Method::conjugates:
      break;
  }
  return solve_by_conjugates(point, gradient, diagonal, rho);
}

RidgeProblem::Method RidgeProblem::method(std::span<const double> ridges) const {
  constexpr std::size_t kFewColumns = 64;
  constexpr std::size_t kFewRows = 512;
  if (method_) return *method_;
  if (rows_.columns <= kFewColumns) return Method::columns;
  const bool one =
      std::all_of(ridges.begin(), ridges.end(), [&](double rho) { return rho == ridges.front(); });
  const std::size_t n = rows_.rows();
  if (!one || n > kFewRows || n >= rows_.columns) return Method::conjugates;
  if (products_.empty()) multiply_rows();
  // Beside larger products the 1 in the equations would lose its digits.
  constexpr double kLargest = 1e8;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(products_[i * n + i] <= kLargest * ridges.front())) return Method::conjugates;
  }
  return Method::rows;
}

SquareMatrix RidgeProblem::newton_matrix(const Point& point, std::span<const double> rho) const {
  const std::size_t n = rows_.columns;
  SquareMatrix hessian = curved_products(rows_, point.curvatures);
  for (std::size_t j = 0; j < n; ++j) {
    hessian(j, j) += rho[j];
    if (!intercept_) hessian(n, j) = 0;
  }
  hessian(n, n) = intercept_ ? hessian(n, n) + kInterceptRidge : 1;
  return hessian;
}

RidgeProblem::Vector RidgeProblem::solve_by_columns(const Point& point, const Vector& gradient,
                                                    std::span<const double> rho) const {
  SquareMatrix hessian = newton_matrix(point, rho);
  std::vector<double> right = gradient.weights;
  right.push_back(gradient.intercept);
  for (double& each : right) each = -each;
  std::vector<double> step = solve_definite(hessian, right);
  Vector found{{}, step.back()};
  step.pop_back();
  found.weights = std::move(step);
  return found;
}

void RidgeProblem::multiply_rows() const {
  const std::size_t n = rows_.rows();
  products_.resize(n * n);
  std::vector<double> dense(rows_.columns);
  for (std::size_t i = 0; i < n; ++i) {
    const SparseVector row = rows_.row(i);
    for (std::size_t k = 0; k < row.size; ++k) dense[row.at[k]] = row.values[k];
    for (std::size_t other = 0; other <= i; ++other) {
      const SparseVector x = rows_.row(other);
      products_[i * n + other] =
          sum_in_four(x.size, [&](std::size_t k) { return x.values[k] * dense[x.at[k]]; });
    }
    for (std::size_t k = 0; k < row.size; ++k) dense[row.at[k]] = 0;
  }
}

// With C the curvatures and M = I + sqrt(C) X X' sqrt(C) / rho, for any q:
//
//     (rho I + X'C X)^-1 q = (q - X' sqrt(C) M^-1 sqrt(C) X q / rho) / rho
//
// The intercept is eliminated: the weights solve for -gradient and for its column X'C 1.
RidgeProblem::Vector RidgeProblem::solve_by_rows(const Point& point, const Vector& gradient,
                                                 double rho) const {
  if (products_.empty()) multiply_rows();
  const std::size_t n = rows_.rows();
  std::vector<double> roots(n);
  for (std::size_t i = 0; i < n; ++i) roots[i] = std::sqrt(point.curvatures[i]);
  // sqrt(C) M^-1 sqrt(C) t
  const auto reduce = [&](std::vector<double> t) {
    SquareMatrix m(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        m(i, k) = roots[i] * products_[i * n + k] * roots[k] / rho;
      }
      m(i, i) += 1;
      t[i] *= roots[i];
    }
    t = solve_definite(m, t);
    for (std::size_t i = 0; i < n; ++i) t[i] *= roots[i];
    return t;
  };
  std::vector<double> sums(n);
  sums_.by_row(gradient.weights, 0, sums);
  for (double& sum : sums) sum /= -rho;
  const Vector back = add_columns(reduce(sums));
  Vector found{std::vector<double>(rows_.columns), 0};
  for (std::size_t j = 0; j < rows_.columns; ++j) {
    found.weights[j] = (-gradient.weights[j] - back.weights[j]) / rho;
  }
  if (!intercept_) return found;
  // X X'C 1 / rho
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] =
        sum_in_four(n,
                    [&](std::size_t k) {
                      return products_[std::max(i, k) * n + std::min(i, k)] * point.curvatures[k];
                    }) /
        rho;
  }
  std::vector<double> rest = reduce(sums);
  for (std::size_t i = 0; i < n; ++i) rest[i] = (point.curvatures[i] - rest[i]) / rho;
  const Vector column = add_columns(rest);  // (rho I + X'C X)^-1 X'C 1
  sums_.by_row(found.weights, 0, sums);
  std::vector<double> moved(n);
  sums_.by_row(column.weights, 0, moved);
  const double bend = kInterceptRidge + sum_in_four(n, [&](std::size_t i) {
                        return point.curvatures[i] * (1 - moved[i]);
                      });
  const double pull = -gradient.intercept - product(point.curvatures, sums);
  found.intercept = pull / bend;
  add_scaled(found.weights.data(), -found.intercept, column.weights.data(), rows_.columns);
  return found;
}

// Each row once: it is still at hand when its product is known.
RidgeProblem::Vector RidgeProblem::multiply(const Point& point, const Vector& v) const {
  return sums_.by_column({std::vector<double>(rows_.columns), 0},
                         [&](std::size_t i, const SparseVector& row, Vector& part) {
                           const double moved = v.intercept + sums_.product(i, v.weights);
                           part.add(row, moved * point.curvatures[i]);
                         });
}

RidgeProblem::Vector RidgeProblem::multiply(const CompactRows& rows, const Point& point,
                                            const Vector& v) const {
  return sums_.by_column({std::vector<double>(rows_.columns), 0},
                         [&](std::size_t i, const SparseVector&, Vector& part) {
                           if (point.curvatures[i] == 0) return;
                           rows.add_product(i, v, point.curvatures[i], part);
                         });
}

// The equations are solved to a tenth of the gradient at first, and more exactly near the optimum,
// so that Newton's method stays fast there.
template <class Precondition, class Product>
RidgeProblem::Vector RidgeProblem::conjugates(const Vector& gradient, double loss,
                                              const Precondition& precondition,
                                              const Product& multiplied) const {
  const std::size_t n = rows_.columns;
  const auto dot = [](const Vector& a, const Vector& b) {
    return product(a.weights, b.weights) + a.intercept * b.intercept;
  };
  Vector found{std::vector<double>(n), 0}, residual = gradient, scaled = precondition(residual);
  double size = dot(scaled, residual);
  const double first = size;
  const double share = std::min(0.01, std::sqrt(first / (1 + std::fabs(loss))));
  Vector p{std::vector<double>(n), -scaled.intercept};
  for (std::size_t j = 0; j < n; ++j) p.weights[j] = -scaled.weights[j];
  std::size_t step = 0;
  for (; step < n + 1 && step < 200 && size > share * first && !stopped(); ++step) {
    const Vector hp = multiplied(p);
    const double bend = dot(p, hp);
    if (!(bend > 0)) break;
    const double length = size / bend;
    add_scaled(found.weights.data(), length, p.weights.data(), n);
    found.intercept += length * p.intercept;
    add_scaled(residual.weights.data(), length, hp.weights.data(), n);
    residual.intercept += length * hp.intercept;
    scaled = precondition(residual);
    const double before = std::exchange(size, dot(scaled, residual));
    const double beta = size / before;
    for (std::size_t j = 0; j < n; ++j) p.weights[j] = beta * p.weights[j] - scaled.weights[j];
    p.intercept = beta * p.intercept - scaled.intercept;
  }
  preconditioner_.count(step);
  return found;
}

RidgeProblem::Vector RidgeProblem::solve_by_conjugates(const Point& point, const Vector& gradient,
                                                       const Vector& diagonal,
                                                       std::span<const double> rho) const {
  // Columns that are held at zero for their sign have a ridge that the next matrix may lack, and
  // without a continuous curvature no two matrices need be alike.
  const bool may_keep = signs_.empty() && has_continuous_curvature(loss_.kind());
  if (may_keep && preconditioner_.is_due()) preconditioner_.make(newton_matrix(point, rho));
  const bool has_matrix = may_keep && preconditioner_.is_made();
  const CompactRows* const copy = compact();
  const auto arranged = [&](const Vector& v) {
    return copy == nullptr ? v : Vector{copy->arranged(v.weights), v.intercept};
  };
  const auto restored = [&](const Vector& v) {
    return copy == nullptr ? v : Vector{copy->restored(v.weights), v.intercept};
  };
  Vector inverse = arranged(diagonal);
  for (double& each : inverse.weights) each = 1 / each;
  const auto precondition = [&](const Vector& residual) {
    if (has_matrix) return arranged(preconditioner_.solve(restored(residual)));
    Vector scaled = residual;
    for (std::size_t j = 0; j < rows_.columns; ++j) scaled.weights[j] *= inverse.weights[j];
    scaled.intercept /= diagonal.intercept;
    return scaled;
  };
  const std::vector<double> ridges = arranged({{rho.begin(), rho.end()}, 0}).weights;
  const auto multiplied = [&](const Vector& v) {
    Vector found = copy == nullptr ? multiply(point, v) : multiply(*copy, point, v);
    for (std::size_t j = 0; j < ridges.size(); ++j) found.weights[j] += ridges[j] * v.weights[j];
    found.intercept = intercept_ ? found.intercept + kInterceptRidge * v.intercept : 0;
    return found;
  };
  return restored(conjugates(arranged(gradient), point.loss, precondition, multiplied));
}

}  // namespace thresh
