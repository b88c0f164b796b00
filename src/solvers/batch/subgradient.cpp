// subgradient: Dhingra et al., Algorithms 2 (all rows) and 3 (mini-batches, single rows).
//
// Minimises P(w) = mean L(a, y) + lambda |w|_1. For batch t with mean loss gradient g, sign(0) = 0:
//
//     w <- w - eta_t (g + lambda sign(w))
//
// With all rows in a batch (--batch 0, the default) the model is the iterate with the smallest P,
// because a subgradient step may increase P.
//
// Departures: none. Weights are rarely exactly 0, so --features is refused.
//
// Cost: with all rows O(all non-zeros) per step on all cores, rows and columns in memory. With
// smaller batches O(non-zeros of the batch + features seen so far): lambda sign(w) flips around
// zero and cannot be deferred.

#include <limits>

#include "solvers/batch/batch_solver.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

double sign(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

class FullSubgradient : public BatchSolver {
 public:
  explicit FullSubgradient(const SolverSetup& setup)
      : BatchSolver(setup),
        lambda_(setup.options.lambda),
        step_size_(setup.step_size()),
        schedule_(schedule_of(setup.options)),
        wanted_(setup) {
    check_auto_eta(setup);
  }

  void begin() override {
    BatchSolver::begin();
    best_ = now_;
    step_size_ = StepSize(choose_eta(wanted_), schedule_);
  }

  double penalty() const override { return lambda_ * l1_norm(state_.weights.span()); }

 private:
  void step(double loss) override {
    compare(loss);
    const double eta = step_size_.at(state_.t);
    for (std::size_t j = 0; j < now_.weights.size(); ++j) {
      double& w = now_.weights[j];
      w -= eta * (gradient_.weights[j] + lambda_ * sign(w));
    }
    if (learns_intercept_) now_.intercept -= eta * gradient_.intercept;
  }

  // Saves now_ if it is the best so far.
  void compare(double loss) {
    const double objective = loss + lambda_ * l1_norm(now_.weights);
    if (!(objective < best_objective_)) return;
    best_objective_ = objective;
    best_ = now_;
  }

  // Showing the model is not part of the run: its accesses are neither counted nor reused.
  const Point& shown() override {
    const std::uint64_t accesses = state_.accesses;
    compare(evaluate(now_));
    state_.accesses = accesses;
    return best_;
  }

  double lambda_;
  StepSize step_size_;
  Schedule schedule_;
  StepChoice wanted_;
  Point best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
};

class BatchedSubgradient : public GradientSolver<BatchedSubgradient> {
 public:
  explicit BatchedSubgradient(const SolverSetup& setup)
      : GradientSolver(setup, setup.count("batch")), lambda_(setup.options.lambda) {
    if (setup.options.auto_eta) throw UsageError("--eta auto needs all rows: --batch 0");
  }

  static constexpr bool kCountsFreely = true;

  void begin() override {
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      if (std::as_const(state_.weights)[slot] != 0) list(static_cast<std::uint32_t>(slot));
    }
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    is_listed_.ensure(n);
  }

  void step(const Gradient& gradient, double eta) {
    for (const std::uint32_t slot : listed_) {
      const double w = state_.weights[slot];
      set_weight(slot, w - eta * lambda_ * sign(w));
    }
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      set_weight(slot, state_.weights[slot] - eta * gradient.at(i));
      list(slot);
    }
  }

  void average_step(const Gradient&) {
    for (const std::uint32_t slot : listed_) average_->add(slot, state_.weights[slot]);
    average_->step(state_.intercept);
  }

  double penalty() const override { return lambda_ * l1_norm(); }

 private:
  void list(std::uint32_t slot) {
    if (is_listed_[slot] != 0) return;
    is_listed_[slot] = 1;
    listed_.push_back(slot);
  }

  double lambda_;
  std::vector<std::uint32_t> listed_;  // features seen so far
  ZeroedArray<char> is_listed_;
};

}  // namespace

CatalogEntry subgradient() {
  CatalogEntry entry;
  entry.info.name = "subgradient";
  entry.info.paper = "Dhingra et al., Algorithms 2 and 3";
  entry.info.objective = "mean L(a, y) + lambda |w|_1";
  entry.info.update = "w -= eta_t (g + lambda sign(w)); with all rows the best iterate is kept";
  entry.info.cost = "O(all non-zeros); in batches O(non-zeros of the batch + features seen)";
  entry.info.needs = "all rows and columns in memory; in batches rows, one at a time";
  entry.info.in_memory = true;
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.budget = BudgetUse::refused;
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::inverse;
  entry.info.schedule_of_all_rows = Schedule::constant;
  entry.info.auto_eta = "1 / (curvature of the loss times the largest eigenvalue of X'X / m)";
  entry.info.steps = "constant with all rows, inverse in batches";
  entry.info.options = {batch_option("0")};
  entry.info.example = "thresh train DATA --solver subgradient --eta 1 --passes 100";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    if (setup.count("batch") == 0) return std::make_unique<FullSubgradient>(setup);
    return std::make_unique<BatchedSubgradient>(setup);
  };
  return entry;
}

}  // namespace thresh
