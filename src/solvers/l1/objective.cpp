#include "solvers/l1/objective.hpp"

#include <numeric>

#include "loss/logistic.hpp"
#include "math/elementary.hpp"
#include "solvers/batch/pieces.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {

L1Objective::L1Objective(std::shared_ptr<const Matrix> matrix, LossFunction loss, bool intercept,
                         double l2, std::vector<double> factors, const Signs& signs,
                         bool compensated)
    : matrix_(std::move(matrix)),
      truth_(loss),
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
      point.curvatures[i] = shares_[i] * loss_.curvature(slope, matrix_->label(i));
    }
    losses[begin / kPiece] = sum;
  });
  point.loss = std::accumulate(losses.begin(), losses.end(), 0.0);
}

double L1Objective::usual_curvature() const {
  if (const auto bound = curvature_bound()) return *bound;
  double mean = 0;
  for (std::size_t i = 0; i < rows(); ++i) mean += shares_[i] * matrix_->label(i);
  return std::max(mean, 1e-300);
}

void L1Objective::soften(double width) {
  soft_ = std::max(width, true_width());
  loss_ = truth_.softened(std::max(truth_.highest(), -truth_.lowest()) / soft_);
}

double L1Objective::first_width() const {
  double mean = 0, spread = 0;
  for (std::size_t i = 0; i < rows(); ++i) mean += shares_[i] * matrix_->label(i);
  if (!has_intercept()) mean = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    spread += shares_[i] * std::fabs(matrix_->label(i) - mean);
  }
  return spread > 0 ? spread : 1;
}

double L1Objective::true_loss(const Point& point) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    sum += shares_[i] * truth_.value(point.margins[i], matrix_->label(i));
  }
  return sum;
}

// The slopes never fall as the intercept grows. Newton's steps, or halves of an interval.
double L1Objective::shift_to_zero(Point& point) const {
  const std::vector<double> start = point.margins;
  double at = 0, low = 0, high = 0, reach = is_clipped() ? soft_ : 1;
  bool has_low = false, has_high = false;
  for (int tries = 0; tries < 200; ++tries) {
    double slope = 0, bend = 0, size = 0;
    for (std::size_t i = 0; i < rows(); ++i) {
      slope += point.slopes[i];
      bend += point.curvatures[i];
      size += std::fabs(point.slopes[i]);
    }
    if (std::fabs(slope) <= 1e-15 * size) break;
    (slope < 0 ? low : high) = at;
    (slope < 0 ? has_low : has_high) = true;
    double next = bend > 0 ? at - slope / bend : at;
    // Of poisson the sum of all rates is known, and with it the step.
    if (loss_.kind() == Loss::poisson)
      next = at + portable::log(std::max((bend - slope) / bend, 1e-20));
    const bool inside = (!has_low || next > low) && (!has_high || next < high) && next != at;
    if (!inside || !std::isfinite(next) || std::fabs(next - at) > 100 * reach) {
      if (has_low && has_high) {
        next = low + (high - low) / 2;
      } else {
        next = at + (slope < 0 ? reach : -reach);
        reach *= 2;
      }
    }
    if (next == at || (has_low && has_high && (next <= low || next >= high))) break;
    at = next;
    for (std::size_t i = 0; i < rows(); ++i) point.margins[i] = start[i] + at;
    evaluate(point);
  }
  return at;
}

double L1Objective::settle_intercept(Point& point) const {
  if (!has_intercept()) return 0;
  if (is_clipped() || loss_.kind() == Loss::poisson) return shift_to_zero(point);
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
  return dual_of(loss_, point, scale);
}

double L1Objective::true_dual(const Point& point, double scale) const {
  return dual_of(truth_, point, scale);
}

double L1Objective::dual_of(const LossFunction& loss, const Point& point, double scale) const {
  std::vector<double> sums((rows() + kPiece - 1) / kPiece);
  in_pieces(rows(), 4 * rows(), [&](std::size_t begin, std::size_t end) {
    if (loss.kind() == Loss::logistic) {
      sums[begin / kPiece] =
          -logistic_conjugates(end - begin, &point.slopes[begin], &shares_[begin], scale);
      return;
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double v = scale * (point.slopes[i] / shares_[i]);
      sum -= shares_[i] * loss.conjugate(v, matrix_->label(i));
    }
    sums[begin / kPiece] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace thresh
