// Newton's method on the piece of the relaxed problem that a point lies on.

#include <algorithm>
#include <cmath>
#include <utility>

#include "polish/relaxation.hpp"

namespace thresh {
namespace {

constexpr int kNewtonSteps = 40;          // between two checks
constexpr std::size_t kMostNewton = 800;  // columns of Newton's method
constexpr double kNewtonWorth = 400;      // other steps that one of Newton's method may cost

bool is_shared(const SupportNorm::Pieces& pieces, std::uint32_t column) {
  return std::binary_search(pieces.shared.begin(), pieces.shared.end(), column);
}

}  // namespace

double Relaxation::objective(const Point& at) const {
  std::vector<double> slopes;
  return evaluate(at.margins, slopes) + ridge_ / 2 * norm_.value(at.weights);
}

std::vector<double> Relaxation::direction(const Point& from, const SupportNorm::Pieces& pieces,
                                          std::span<const std::uint32_t> columns) const {
  constexpr double kLeast = 1e-4;  // of the ridge, so that columns that depend have a direction
  std::vector<double> slopes, curvatures;
  evaluate(from.margins, slopes, curvatures);
  const SupportMatrix part = rows_.only(columns);
  const std::size_t m = columns.size();
  SquareMatrix hessian = curved_products(part, curvatures);
  std::vector<double> right(m + 1);
  double largest = 0;
  for (std::size_t k = 0; k <= m; ++k) largest = std::max(largest, hessian(k, k));
  const double least = kLeast * ridge_ + 1e-13 * largest;
  for (std::size_t i = 0; i < part.rows(); ++i) {
    const SparseVector row = part.row(i);
    for (std::size_t k = 0; k < row.size; ++k) right[row.at[k]] -= slopes[i] * row.values[k];
    right[m] -= slopes[i];
  }
  double sum = 0;
  std::vector<char> shared(rows_.columns);
  for (const std::uint32_t j : pieces.shared) {
    sum += std::fabs(from.weights[j]);
    shared[j] = 1;
  }
  const auto sign = [&](std::size_t k) { return from.weights[columns[k]] < 0 ? -1.0 : 1.0; };
  for (std::size_t k = 0; k < m; ++k) {
    hessian(k, k) += least;
    if (shared[columns[k]] == 0) {
      hessian(k, k) += ridge_;
      right[k] -= ridge_ * from.weights[columns[k]];
      continue;
    }
    right[k] -= ridge_ * sign(k) * sum / pieces.places;
    for (std::size_t l = k; l < m; ++l) {
      if (shared[columns[l]] != 0) hessian(l, k) += ridge_ * sign(k) * sign(l) / pieces.places;
    }
  }
  for (std::size_t k = 0; k < m && !intercept_; ++k) hessian(m, k) = 0;
  hessian(m, m) = intercept_ ? hessian(m, m) + 1e-9 * total_ : 1;
  if (!intercept_) right[m] = 0;
  return solve_definite(hessian, right);
}

// None if it is not finite.
std::optional<Relaxation::Point> Relaxation::moved_by(
    const Point& from, std::span<const double> by, double length, const SupportNorm::Pieces& pieces,
    std::span<const std::uint32_t> columns) const {
  Point to = from;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double& w = to.weights[columns[k]];
    const double before = w;
    w += length * by[k];
    if (!std::isfinite(w)) return std::nullopt;
    // A shared column ends at 0, where it leaves.
    if (before * w <= 0 && is_shared(pieces, columns[k])) w = 0;
  }
  to.intercept += length * by.back();
  if (!std::isfinite(to.intercept)) return std::nullopt;
  add_rows(to.weights, to.intercept, to.margins);
  return to;
}

bool Relaxation::newton(Point& at, int& steps) const {
  const auto n = static_cast<double>(rows_.rows());
  const double step_cost = 3 * (static_cast<double>(rows_.entries()) + 8 * n);
  double before = objective(at);
  bool moved = false;
  for (int count = 0; count < kNewtonSteps; ++count) {
    const SupportNorm::Pieces pieces = norm_.pieces(at.weights);
    std::vector<std::uint32_t> columns = pieces.whole;
    columns.insert(columns.end(), pieces.shared.begin(), pieces.shared.end());
    std::sort(columns.begin(), columns.end());
    const auto m = static_cast<double>(columns.size());
    const double share = m / static_cast<double>(std::max<std::size_t>(rows_.columns, 1));
    const double per_row = share * static_cast<double>(rows_.entries()) / std::max(n, 1.0) + 1;
    const double cost = (n * per_row * per_row / 2 + m * m * m / 6) / step_cost + 1;
    const bool few = !columns.empty() && columns.size() <= kMostNewton;
    if (!few || cost > kNewtonWorth || (!pieces.shared.empty() && pieces.places < 0.5)) break;
    const std::vector<double> by = direction(at, pieces, columns);
    steps += static_cast<int>(cost);
    std::optional<Point> to;
    for (const double length : {1.0, 0.5, 0.25, 0.125, 0.0625}) {
      to = moved_by(at, by, length, pieces, columns);
      ++steps;
      if (to && objective(*to) < before) break;
      to.reset();
    }
    if (!to) break;
    moved = true;
    const double now = objective(*to), gain = before - now;
    at = std::move(*to);
    before = now;
    if (gain < 1e-9 * before) break;
  }
  return moved;
}

}  // namespace thresh
