// cd, scd, gcd: coordinate descent, cyclic (Friedman, Hastie & Tibshirani 2010; Dhingra et al.,
// Algorithm 1), stochastic and greedy (Shalev-Shwartz & Tewari, Algorithm 2 and section 4.2).
//
// Minimises P(w) = mean L(a, y) + lambda |w|_1, one coordinate at a time. With g_j the loss
// gradient and b_j a bound on the curvature along coordinate j:
//
//     w_j <- S(w_j - g_j / b_j, lambda / b_j)
//
// With --lower, --upper or --non-negative the result is clipped to the allowed interval, which is
// the minimum of the same quadratic model within it. If no weight may be negative, lambda may: it
// is then a linear term, and S(v, -t) = v + t is still the minimum of the model.
//
// j goes from low to high (cd), is drawn uniformly (scd), or promises the largest decrease of P
// (gcd; on ties the lowest j; it ends when no decrease is positive).
//
// Departures from the papers:
// - By default b_j = beta mean(x_j^2), which needs no scaling of the data and for squared loss
//   gives the exact minimum. --curvature global is the papers' b = beta, for features in [-1, 1].
// - Each step uses the newest weights. Dhingra et al. update all coordinates from old ones.
// - The curvature of poisson has no bound. There b_j is that of the present rates times e^r, where
//   the step moves no margin by more than r, which is at most 1. So P falls with every step, too.
// - The intercept is the last coordinate of a sweep and has no threshold.
// - Features that occur in no row are not coordinates, because they could never change.
//
// Cost: cd and scd store the margins and read column j, O(its non-zeros). gcd also stores all
// gradients: after a step it reads the rows with feature j, which on sparse data are few, and
// searches d gains. All rows and columns are in memory.

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "data/feed/matrix.hpp"
#include "loss/bounds.hpp"
#include "solvers/batch/pieces.hpp"
#include "solvers/catalog.hpp"
#include "sparse/random.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/error.hpp"

namespace thresh {

enum class Choice { cyclic, random, greedy };

class CoordinateDescent : public MatrixSolver {
 public:
  CoordinateDescent(const SolverSetup& setup, Choice choice)
      : loss_(setup.loss()),
        lambda_(setup.options.lambda),
        global_(setup.word("curvature") == "global"),
        choice_(choice == Choice::random && setup.options.order == Order::sequential
                    ? Choice::cyclic
                    : choice),
        has_rates_(loss_.kind() == Loss::poisson),
        promises_(choice == Choice::random),
        two_classes_(setup.options.task == Task::classification),
        learns_intercept_(setup.options.intercept),
        compensated_(setup.options.compensated),
        budget_(setup.max_nonzeros),
        lower_(limit(setup, "lower", -std::numeric_limits<double>::infinity())),
        upper_(limit(setup, "upper", std::numeric_limits<double>::infinity())),
        signs_(setup.signs()),
        random_(setup.options.seed) {
    if (lower_ > upper_) throw UsageError("--lower must not be above --upper");
    if (global_ && has_rates_) {
      throw UsageError("--curvature global needs a bound, which --loss poisson has not");
    }
    average_ = setup.average();
  }

  void load(std::shared_ptr<const Matrix> matrix) override {
    matrix_ = std::move(matrix);
    const std::size_t features = matrix_->columns();
    coordinates_ = features + (learns_intercept_ ? 1 : 0);
    bounds_.assign(coordinates_, loss_.curvature().value_or(1));
    for (std::size_t j = 0; j < features && !global_; ++j) bounds_[j] *= mean_square(j);
    for (std::size_t j = 0; j < coordinates_ && has_rates_; ++j) largest_.push_back(largest_in(j));
    state_.accesses += global_ ? 0 : matrix_->entries();
    for (const double bound : bounds_) {
      if (std::isfinite(bound)) continue;
      diverge("squares of the values overflow");
    }
  }

  void begin() override {
    margins_.assign(matrix_->rows(), state_.intercept);
    slopes_.resize(matrix_->rows());
    for (std::size_t j = 0; j < matrix_->columns(); ++j) {
      const double w = weight(j);
      if (w == 0) continue;
      started_ = true;
      if (average_) average_->stay_at(matrix_->slot(j), w);
      move_margins(j, w);
    }
    for (std::size_t i = 0; i < matrix_->rows(); ++i) slopes_[i] = slope(i);
    if (choice_ != Choice::greedy) return;
    gradients_.resize(coordinates_);
    for (std::size_t j = 0; j < coordinates_; ++j) gradients_[j] = gradient(j);
    gains_.resize(coordinates_);
    for (std::size_t j = 0; j < coordinates_; ++j) gains_[j] = gain(j);
  }

  std::uint64_t steps_per_pass() const override { return coordinates_; }
  bool counts_freely() const override { return true; }
  bool counts_mistakes() const override { return false; }

  void advance(std::uint64_t n, const Until& until) override {
    for (; n > 0 && state_.t < until.steps && state_.nonzeros < until.nonzeros; --n) {
      const std::size_t j = choose();
      if (ended_) return;
      ++state_.t;
      ++state_.examples;
      step(j);
      if (average_) average_->step(state_.intercept);
    }
  }

  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    return loss_.sum(margins, rows);
  }

  double penalty() const override { return lambda_ * l1_norm(state_.weights); }

  std::vector<Finding> theory() const override;

  void archive(Archive& a) override {
    MatrixSolver::archive(a);
    a(started_, random_);
    a.in_place(margins_, slopes_, gradients_, gains_);
  }

 private:
  static double limit(const SolverSetup& setup, const char* name, double none) {
    const std::string text = setup.word(name);
    return text.empty() ? none : to_number(name, text);
  }

  double largest_value() const;

  bool is_intercept(std::size_t j) const { return j == matrix_->columns(); }

  double weight(std::size_t j) const {
    return is_intercept(j) ? state_.intercept : state_.weights[matrix_->slot(j)];
  }

  double mean_square(std::size_t j) const {
    const SparseVector column = matrix_->column(j);
    double sum = 0;
    for (std::size_t k = 0; k < column.size; ++k) {
      sum += matrix_->weight(column.at[k]) * column.values[k] * column.values[k];
    }
    return sum / matrix_->total_weight();
  }

  // The slope of row i's loss, times its weight.
  double slope(std::size_t i) const {
    return matrix_->weight(i) * loss_.slope(margins_[i], matrix_->label(i));
  }

  double gradient(std::size_t j) {
    double sum = 0;
    if (is_intercept(j)) {
      for (const double s : slopes_) sum += s;
    } else {
      const SparseVector column = matrix_->column(j);
      sum = dot(column, slopes_, compensated_);
      state_.accesses += column.size;
    }
    return sum / matrix_->total_weight();
  }

  double largest_in(std::size_t j) const;
  double curvature_of_rates(std::size_t j) const;
  double moved_with_rates(std::size_t j, double g) const;

  double moved(std::size_t j, double g) const {
    return has_rates_ ? moved_with_rates(j, g) : moved_by(j, g, bounds_[j]);
  }

  double moved_by(std::size_t j, double g, double b) const {
    // No curvature: the squares of the values vanish, or no row has this feature of the initial
    // model. Only the penalty acts on it.
    if (b == 0 && lambda_ < 0 && !is_intercept(j))
      return std::isfinite(upper_) ? allowed(j, upper_) : weight(j);
    if (b == 0) return lambda_ > 0 && !is_intercept(j) ? allowed(j, 0) : weight(j);
    if (is_intercept(j)) return weight(j) - g / b;
    return allowed(j, soft_threshold(weight(j) - g / b, lambda_ / b));
  }

  // The nearest allowed weight.
  double allowed(std::size_t j, double w) const {
    return signs_.apply(matrix_->slot(j), std::clamp(w, lower_, upper_));
  }

  // A lower bound on the decrease of P by the step of coordinate j.
  double gain(std::size_t j) const {
    const double w = weight(j);
    const double change = moved(j, gradients_[j]) - w;
    const double lambda = is_intercept(j) ? 0 : lambda_;
    return -(change * gradients_[j] + bounds_[j] / 2 * change * change +
             lambda * (std::fabs(w + change) - std::fabs(w)));
  }

  std::size_t choose() {
    if (choice_ == Choice::cyclic) return state_.t % coordinates_;
    if (choice_ == Choice::random) return random_.below(coordinates_);
    const auto best = std::max_element(gains_.begin(), gains_.end());  // the first on ties
    if (*best <= 0) ended_ = {Outcome::converged, "no coordinate promises a decrease"};
    return static_cast<std::size_t>(best - gains_.begin());
  }

  void step(std::size_t j) {
    const double before = weight(j);
    const double after = moved(j, choice_ == Choice::greedy ? gradients_[j] : gradient(j));
    if (after == before) {
      if (choice_ == Choice::greedy) gains_[j] = 0;  // the step is lost in rounding
      return;
    }
    ++state_.updates;
    if (!std::isfinite(after)) {
      std::optional<std::uint32_t> slot;
      if (!is_intercept(j)) slot = matrix_->slot(j);
      diverge("a weight is not finite", Runaway{std::nullopt, slot, after, 0});
      return;
    }
    if (!is_intercept(j)) set_weight(j, after);
    if (is_intercept(j)) state_.intercept = after;
    move_margins(j, after - before);
    renew(j);
  }

  void set_weight(std::size_t j, double after) {
    double& w = state_.weights[matrix_->slot(j)];
    const bool enters = w == 0;
    const bool leaves = after == 0;
    // Saves the state before the step that exceeds the budget: the last one within it.
    if (enters && state_.nonzeros == budget_) save();
    state_.nonzeros += static_cast<std::uint64_t>(enters) - static_cast<std::uint64_t>(leaves);
    w = after;
    if (average_) average_->stay_at(matrix_->slot(j), after);
  }

  void move_margins(std::size_t j, double change) {
    if (is_intercept(j)) {
      for (double& margin : margins_) margin += change;
      return;
    }
    const SparseVector column = matrix_->column(j);
    for (std::size_t k = 0; k < column.size; ++k) {
      margins_[column.at[k]] += change * column.values[k];
    }
    state_.accesses += column.size;
  }

  // Updates the slopes of changed margins; for gcd also gradients and gains.
  void renew(std::size_t j) {
    if (is_intercept(j)) {
      for (std::size_t i = 0; i < matrix_->rows(); ++i) renew_row(i);
    } else {
      const SparseVector column = matrix_->column(j);
      for (std::size_t k = 0; k < column.size; ++k) renew_row(column.at[k]);
    }
    if (choice_ != Choice::greedy) return;
    gains_[j] = gain(j);
    for (const std::size_t k : stale_) {
      gains_[k] = gain(k);
      is_stale_[k] = 0;
    }
    stale_.clear();
  }

  void renew_row(std::size_t i) {
    const double before = slopes_[i];
    slopes_[i] = slope(i);
    const double change = slopes_[i] - before;
    if (choice_ != Choice::greedy || change == 0) return;
    const SparseVector row = matrix_->row(i);
    is_stale_.resize(coordinates_);
    for (std::size_t k = 0; k < row.size; ++k) {
      touch(row.at[k], change * row.values[k] / matrix_->total_weight());
    }
    if (learns_intercept_) touch(matrix_->columns(), change / matrix_->total_weight());
    state_.accesses += row.size;
  }

  void touch(std::size_t k, double change) {
    gradients_[k] += change;
    if (is_stale_[k] != 0) return;
    is_stale_[k] = 1;
    stale_.push_back(k);
  }

  LossFunction loss_;
  double lambda_;
  bool global_;
  Choice choice_;
  bool has_rates_;  // whose curvature has no bound
  bool promises_;   // a theorem applies
  bool two_classes_;
  bool learns_intercept_;
  bool compensated_;
  std::uint64_t budget_;
  std::vector<double> largest_;  // |x_ij| of each column, for rates
  double lower_, upper_;         // of every weight but the intercept
  Signs signs_;
  bool started_ = false;  // from a model, not from 0
  Random random_;

  std::shared_ptr<const Matrix> matrix_;
  std::size_t coordinates_ = 0;
  std::vector<double> bounds_;   // b_j
  std::vector<double> margins_;  // Xw + intercept
  std::vector<double> slopes_;   // by row, times its weight
  // gcd only:
  std::vector<double> gradients_;
  std::vector<double> gains_;
  std::vector<std::size_t> stale_;  // coordinates whose gradient has changed
  std::vector<char> is_stale_;
};

}  // namespace thresh
