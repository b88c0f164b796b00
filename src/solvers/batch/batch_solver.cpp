#include "solvers/batch/batch_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "solvers/batch/pieces.hpp"
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
    if (state_.t == 0) bound_growth(loss);
    if (!(loss <= largest_loss_)) {
      margins_now();
      const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
      const auto nan = std::find_if(margins_.begin(), margins_.end(),
                                    [](double margin) { return std::isnan(margin); });
      const auto worst =
          nan != margins_.end() ? nan : std::max_element(margins_.begin(), margins_.end(), smaller);
      diverge_at(static_cast<std::size_t>(worst - margins_.begin()));
      return;
    }
    for (std::size_t i = 0; classifies_ && i < matrix_->rows(); ++i) {
      state_.mistakes += (margins_[i] > 0) != (matrix_->label(i) > 0);
    }
    take_step(loss);
  }
}

// With unbounded slopes, steps that are too large increase the loss more and more. A loss far above
// both the first one and that of zero weights counts as divergence.
void BatchSolver::bound_growth(double first_loss) {
  constexpr double kGrowth = 100;
  if (!guards_growth_ || !std::isfinite(first_loss)) return;
  double at_zero = 0;
  for (std::size_t i = 0; i < matrix_->rows(); ++i) {
    at_zero += matrix_->weight(i) * loss_.value(0, matrix_->label(i));
  }
  const double larger = std::max(first_loss, at_zero / matrix_->total_weight());
  largest_loss_ = std::min(largest_loss_, kGrowth * larger);
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
  if (!average_ || ended_) return;
  for (std::size_t j = 0; j < now_.weights.size(); ++j) {
    average_->add(matrix_->slot(j), now_.weights[j]);
  }
  average_->step(now_.intercept);
}

double BatchSolver::evaluate_sliced(const Point& point) {
  double sum = 0;
  double of_piece = 0;
  const auto take = [&](std::size_t i, double product) {
    margins_[i] = product + point.intercept;
    of_piece += matrix_->weight(i) * loss_.value(margins_[i], matrix_->label(i));
    if ((i + 1) % kPiece != 0 && i + 1 < matrix_->rows()) return;
    sum += std::exchange(of_piece, 0);
  };
  sliced()->for_each_row([&](std::uint32_t j, double value) { return point.weights[j] * value; },
                         take);
  state_.accesses += matrix_->entries();
  return sum / matrix_->total_weight();
}

double BatchSolver::evaluate(const Point& point) {
  if (sums_) return evaluate_sliced(point);
  const std::size_t rows = matrix_->rows();
  std::vector<double> losses((rows + kPiece - 1) / kPiece);
  in_pieces(rows, matrix_->entries(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      margins_[i] = dot(matrix_->row(i), point.weights, compensated_) + point.intercept;
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

void BatchSolver::diverge_at(std::size_t i) {
  Runaway worst{i, std::nullopt, now_.intercept, 1};
  double largest = std::fabs(now_.intercept);
  const SparseVector row = matrix_->row(i);
  for (std::size_t k = 0; k < row.size && std::isfinite(largest); ++k) {
    const double weight = now_.weights[row.at[k]];
    const double part = std::fabs(weight * row.values[k]);
    if (part <= largest) continue;  // false for a NaN
    worst = {i, matrix_->slot(row.at[k]), weight, row.values[k]};
    largest = part;
  }
  diverge("the loss is out of bounds", worst);
}

double BatchSolver::find_eigenvalue(int passes) {
  state_.accesses += static_cast<std::uint64_t>(passes) * matrix_->entries();
  const double found = largest_eigenvalue(*matrix_, learns_intercept_, passes, stop_, sliced());
  if (!std::isfinite(found)) diverge("squares of the values overflow");
  return found;
}

// The weighted mean over the rows, including the intercept's 1. An upper bound on the largest
// eigenvalue of X'X over the number of rows.
double BatchSolver::mean_squared_length() const {
  double sum = 0;
  if (const auto columns = sliced()) {
    columns->for_each_row([](std::uint32_t, double value) { return value * value; },
                          [&](std::size_t i, double squares) {
                            sum += matrix_->weight(i) * (squares + (learns_intercept_ ? 1 : 0));
                          });
    return sum / matrix_->total_weight();
  }
  for (std::size_t i = 0; i < matrix_->rows(); ++i) {
    const SparseVector row = matrix_->row(i);
    double squares = learns_intercept_ ? 1 : 0;
    for (std::size_t k = 0; k < row.size; ++k) squares += row.values[k] * row.values[k];
    sum += matrix_->weight(i) * squares;
  }
  return sum / matrix_->total_weight();
}

// The gradient is made anew in the next step.
void BatchSolver::archive_by_feature(Archive& a) {
  std::vector<std::pair<std::uint32_t, double>> weights;
  for (std::size_t j = 0; j < now_.weights.size(); ++j) {
    if (now_.weights[j] != 0) weights.emplace_back(matrix_->slot(j), now_.weights[j]);
  }
  std::sort(weights.begin(), weights.end());
  a.by_slot(weights, matrix_->slot_end());
  a.in_place(margins_);
  if (!a.reads()) return;
  for (std::size_t j = 0; j < now_.weights.size(); ++j) {
    const std::pair<std::uint32_t, double> from(matrix_->slot(j),
                                                -std::numeric_limits<double>::infinity());
    const auto found = std::lower_bound(weights.begin(), weights.end(), from);
    const bool has = found != weights.end() && found->first == matrix_->slot(j);
    now_.weights[j] = has ? found->second : 0;
  }
}

double BatchSolver::choose_eta(const StepChoice& wanted) {
  const auto safe = [&](int passes) {
    return matrix_->total_weight() / (*loss_.curvature() * find_eigenvalue(passes));
  };
  if (wanted.automatic) return wanted.scale * safe(kEigenvaluePasses);
  const double eta = wanted.eta;
  if (!loss_.curvature() || eta * *loss_.curvature() * mean_squared_length() < 2) {
    return wanted.scale * eta;
  }
  // Early power iterations underestimate the eigenvalue, so there are no false warnings.
  const double limit = 2 * safe(wanted.given ? kGlimpsePasses : kEigenvaluePasses);
  if (eta < limit || !std::isfinite(limit)) return wanted.scale * eta;
  if (wanted.given) {
    warn(
        fmt::format("--eta {:g} is too large for these rows: from {:.3g} on steps may go uphill "
                    "(--eta auto chooses a safe one)",
                    eta, limit));
    return wanted.scale * eta;
  }
  warn(fmt::format("eta is {:.3g}: the default of {:g} is too large for these rows", limit / 2,
                   eta));
  chosen_eta_ = limit / 2;
  return wanted.scale * *chosen_eta_;
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
      gradient_.weights[j] =
          dot(matrix_->column(j), slopes_, compensated_) / matrix_->total_weight();
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
