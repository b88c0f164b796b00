#include "solvers/batch/batch_solver.hpp"

#include <algorithm>

#include "solvers/batch/pieces.hpp"
#include "solvers/batch/spectrum.hpp"
#include "thresh/error.hpp"

namespace thresh {

void BatchSolver::begin() {
  now_.weights.resize(matrix_->columns());
  for (std::size_t j = 0; j < matrix_->columns(); ++j) {
    now_.weights[j] = state_.weights[matrix_->slot(j)];
  }
  now_.intercept = state_.intercept;
  gradient_.weights.resize(matrix_->columns());
  margins_.resize(matrix_->rows());
  slopes_.resize(matrix_->rows());
}

void BatchSolver::advance(std::uint64_t n, const Until& until) {
  for (; n > 0 && state_.t < until.steps && !ended_; --n) {
    const double loss = find_gradient();
    if (!std::isfinite(loss)) {
      ended_ = {Outcome::diverged, "the loss is not finite (try --normalize l2 or smaller steps)"};
      return;
    }
    for (std::size_t i = 0; classifies_ && i < matrix_->rows(); ++i) {
      state_.mistakes += (margins_[i] > 0) != (matrix_->label(i) > 0);
    }
    take_step(loss);
  }
}

std::span<const double> BatchSolver::margins_now() {
  if (!current_loss_) current_loss_ = evaluate(now_);
  return margins_;
}

void BatchSolver::step_along(std::span<const double> slopes) {
  slopes_.assign(slopes.begin(), slopes.end());
  add_up_gradient();
  take_step(0);
}

void BatchSolver::take_step(double loss) {
  ++state_.t;
  ++state_.updates;
  state_.examples += matrix_->rows();
  current_loss_.reset();
  step(loss);
}

double BatchSolver::evaluate(const Point& point) {
  const std::size_t rows = matrix_->rows();
  std::vector<double> losses((rows + kPiece - 1) / kPiece);
  in_pieces(rows, matrix_->entries(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      margins_[i] = dot(matrix_->row(i), point.weights) + point.intercept;
      sum += matrix_->weight(i) * loss_.value(margins_[i], matrix_->label(i));
    }
    losses[begin / kPiece] = sum;
  });
  state_.accesses += matrix_->entries();
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / matrix_->total_weight();
}

void BatchSolver::check_auto_eta(const SolverSetup& setup) const {
  if (setup.options.auto_eta && !loss_.curvature()) {
    throw UsageError("--eta auto needs a loss of bounded curvature, not hinge");
  }
}

double BatchSolver::find_eigenvalue() {
  state_.accesses += kEigenvaluePasses * matrix_->entries();
  return largest_eigenvalue(*matrix_, learns_intercept_);
}

double BatchSolver::safe_step() {
  return matrix_->total_weight() / (*loss_.curvature() * find_eigenvalue());
}

double BatchSolver::find_gradient() {
  margins_now();
  for (std::size_t i = 0; i < matrix_->rows(); ++i) {
    slopes_[i] = matrix_->weight(i) * loss_.slope(margins_[i], matrix_->label(i));
  }
  add_up_gradient();
  return *current_loss_;
}

void BatchSolver::add_up_gradient() {
  double slopes = 0;
  for (const double slope : slopes_) slopes += slope;
  gradient_.intercept = slopes / matrix_->total_weight();
  in_pieces(matrix_->columns(), matrix_->entries(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      gradient_.weights[j] = dot(matrix_->column(j), slopes_) / matrix_->total_weight();
    }
  });
  state_.accesses += matrix_->entries();
}

void BatchSolver::do_settle() {
  const Point& point = shown();
  state_.nonzeros = 0;
  for (std::size_t j = 0; j < matrix_->columns(); ++j) {
    state_.weights[matrix_->slot(j)] = point.weights[j];
    state_.nonzeros += point.weights[j] != 0;
  }
  state_.intercept = point.intercept;
}

}  // namespace thresh
