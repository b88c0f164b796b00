#include "solvers/l1/objective.hpp"

#include <numeric>

#include "loss/logistic.hpp"
#include "solvers/batch/pieces.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {

L1Objective::L1Objective(std::shared_ptr<const Matrix> matrix, LossFunction loss, bool intercept,
                         double l2, std::vector<double> factors, const Signs& signs,
                         bool compensated)
    : matrix_(std::move(matrix)),
      loss_(loss),
      compensated_(compensated),
      l2_(l2),
      factors_(std::move(factors)) {
  shares_.resize(rows());
  for (std::size_t i = 0; i < rows(); ++i) {
    shares_[i] = matrix_->weight(i) / matrix_->total_weight();
  }
  for (std::size_t j = 0; signs.restrict() && j < features(); ++j) {
    signs_.push_back(signs.of(matrix_->slot(j)));
  }
  if (intercept) {
    ones_.assign(rows(), 1);
    all_rows_.resize(rows());
    std::iota(all_rows_.begin(), all_rows_.end(), 0U);
  }
  norms_.resize(columns());
  largest_.resize(columns());
  in_pieces(columns(), matrix_->entries(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const SparseVector x = column(j);
      double squares = 0;
      for (std::size_t k = 0; k < x.size; ++k) {
        squares += shares_[x.at[k]] * x.values[k] * x.values[k];
        largest_[j] = std::max(largest_[j], std::fabs(x.values[k]));
      }
      norms_[j] = std::sqrt(squares);
    }
  });
}

static_assert(kPiece <= kLogisticRows);

void L1Objective::evaluate(Point& point) const {
  point.slopes.resize(rows());
  point.curvatures.resize(rows());
  std::vector<double> losses((rows() + kPiece - 1) / kPiece);
  in_pieces(rows(), 4 * rows(), [&](std::size_t begin, std::size_t end) {
    if (loss_.kind() == Loss::logistic) {
      losses[begin / kPiece] =
          logistic_losses(end - begin, &point.margins[begin], &matrix_->labels()[begin],
                          &shares_[begin], &point.slopes[begin], &point.curvatures[begin]);
      return;
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double a = point.margins[i];
      const double slope = loss_.slope(a, matrix_->label(i));
      sum += shares_[i] * loss_.value(a, matrix_->label(i));
      point.slopes[i] = shares_[i] * slope;
      point.curvatures[i] = shares_[i] * loss_.curvature(slope);
    }
    losses[begin / kPiece] = sum;
  });
  point.loss = std::accumulate(losses.begin(), losses.end(), 0.0);
}

double L1Objective::settle_intercept(Point& point) const {
  if (!has_intercept()) return 0;
  const auto sum_of = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
  };
  const auto move = [&](double by) {
    for (double& margin : point.margins) margin += by;
    evaluate(point);
  };
  double size = 0;
  for (const double slope : point.slopes) size += std::fabs(slope);
  double moved = 0;
  double sum = sum_of(point.slopes);
  double bend = sum_of(point.curvatures);
  double by = bend > 0 ? -sum / bend : -sum;
  // Newton steps, shortened where they overshoot, until nothing improves.
  for (int tries = 0; tries < 100 && std::fabs(sum) > 1e-15 * size; ++tries) {
    move(by);
    const double now = sum_of(point.slopes);
    if (std::fabs(now) < std::fabs(sum)) {
      moved += by;
      sum = now;
      bend = sum_of(point.curvatures);
      by = bend > 0 ? -sum / bend : -sum;
    } else {
      move(-by);
      by /= 4;
      if (std::fabs(by) < 1e-16 * (1 + std::fabs(moved))) break;
    }
  }
  return moved;
}

double L1Objective::gradient(std::size_t j, const Point& point) const {
  const SparseVector x = column(j);
  if (compensated_) return compensated_dot(point.slopes.data(), x.at, x.values, x.size);
  return sum_in_four(x.size, [&](std::size_t k) { return x.values[k] * point.slopes[x.at[k]]; });
}

double L1Objective::dual(const Point& point, double scale) const {
  std::vector<double> sums((rows() + kPiece - 1) / kPiece);
  in_pieces(rows(), 4 * rows(), [&](std::size_t begin, std::size_t end) {
    if (loss_.kind() == Loss::logistic) {
      sums[begin / kPiece] =
          -logistic_conjugates(end - begin, &point.slopes[begin], &shares_[begin], scale);
      return;
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double v = scale * (point.slopes[i] / shares_[i]);
      sum -= shares_[i] * loss_.conjugate(v, matrix_->label(i));
    }
    sums[begin / kPiece] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace thresh
