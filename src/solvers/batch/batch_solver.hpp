// Common base of solvers that use all rows in every step.
//
// Margins and gradient are computed on all cores, in pieces of fixed size, so the result does not
// depend on the number of cores.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "data/feed/matrix.hpp"
#include "loss/loss.hpp"
#include "solvers/batch/sliced_matrix.hpp"
#include "solvers/batch/spectrum.hpp"
#include "solvers/catalog.hpp"

namespace thresh {

// The options for choosing a step size, which needs the rows.
struct StepChoice {
  explicit StepChoice(const SolverSetup& setup)
      : eta(setup.eta),
        scale(setup.step_scale),
        automatic(setup.options.auto_eta),
        given(setup.options.eta.has_value()) {}

  double eta;
  double scale;
  bool automatic;
  bool given;  // by the user
};

class BatchSolver : public MatrixSolver {
 public:
  explicit BatchSolver(const SolverSetup& setup)
      : loss_(setup.loss()),
        largest_loss_(setup.largest_loss()),
        guards_growth_(setup.options.on_divergence != OnDivergence::proceed &&
                       !has_bounded_slope(loss_.kind())),
        learns_intercept_(setup.options.intercept),
        classifies_(setup.options.task == Task::classification),
        compensated_(setup.options.compensated),
        stop_(setup.options.stop),
        sums_(setup.slice_sums()) {
    average_ = setup.average();
  }

  void load(std::shared_ptr<const Matrix> matrix) override { matrix_ = std::move(matrix); }
  void begin() override;
  std::uint64_t steps_per_pass() const override { return 1; }
  void advance(std::uint64_t n, const Until& until) override;
  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    return loss_.sum(margins, rows);
  }
  bool counts_mistakes() const override { return classifies_; }
  SliceSums* slice_sums() override { return sums_.get(); }
  void ensure_slots(std::size_t n) override {
    MatrixSolver::ensure_slots(n);
    if (sums_) sums_->ensure_slots(n);
  }

  // For a loss that the caller computes: the current margins, and a step along the gradient, given
  // the rows' slopes times their weights.
  std::span<const double> margins_now();
  void step_along(std::span<const double> slopes);
  // Ends the training: the margin of row i is out of bounds.
  void diverge_at(std::size_t i);

  void archive(Archive& a) override {
    MatrixSolver::archive(a);
    if (a.by_feature()) {
      archive_by_feature(a);
    } else {
      a.in_place(now_.weights, gradient_.weights, margins_, slopes_);
    }
    a(now_.intercept, gradient_.intercept, largest_loss_, current_loss_);
  }

  std::vector<std::string> warnings() const override { return warnings_; }
  std::optional<double> chosen_eta() const override { return chosen_eta_; }

 protected:
  // A point: weights by column, and the intercept.
  struct Point {
    std::vector<double> weights;
    double intercept = 0;
  };

  // One step from now_, where the mean loss is `loss` and its gradient is in gradient_.
  virtual void step(double loss) = 0;

  // The mean loss at a point. Leaves its margins in margins_.
  double evaluate(const Point& point);
  // Puts the gradient of the mean loss at now_ into gradient_. Returns the mean loss.
  virtual double find_gradient();
  // Declares that margins_ belong to now_, as evaluate() left them.
  void margins_are_current(double loss) { current_loss_ = loss; }

  void check_auto_eta(const SolverSetup& setup) const;
  // The largest eigenvalue of X'X. Counts its accesses to the data.
  double find_eigenvalue(int passes = kEigenvaluePasses);
  // The step size of a run: the user's, or a safe one. Steps up to 1 over the largest curvature of
  // the mean loss never increase it; from twice that they diverge.
  double choose_eta(const StepChoice& wanted);
  double mean_squared_length() const;
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  // The columns in slices; none without --slices.
  std::optional<SlicedMatrix> sliced() const {
    if (!sums_) return std::nullopt;
    return SlicedMatrix(*sums_, *matrix_);
  }

  // The point to report as the model.
  virtual const Point& shown() { return now_; }
  void do_settle() override;

  LossFunction loss_;
  double largest_loss_;  // a larger mean loss counts as divergence
  bool guards_growth_;
  bool learns_intercept_;
  bool classifies_;
  bool compensated_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<SliceSums> sums_;  // of the margins, with --slices; else null
  std::shared_ptr<const Matrix> matrix_;
  Point now_;
  Point gradient_;
  std::vector<double> margins_;

 private:
  void bound_growth(double first_loss);
  void add_up_gradient();
  void take_step(double loss);
  double evaluate_sliced(const Point& point);
  void archive_by_feature(Archive& a);

  std::vector<double> slopes_;
  std::vector<std::string> warnings_;
  std::optional<double> chosen_eta_;
  std::optional<double> current_loss_;  // at now_, if margins_ are its margins
};

}  // namespace thresh
