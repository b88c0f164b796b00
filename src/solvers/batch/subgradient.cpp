// subgradient: Dhingra et al., Algorithms 2 (all rows) and 3 (mini-batches, single rows).
//
// Minimises P(w) = mean L(a, y) + lambda |w|_1. For batch t with mean loss gradient g, sign(0) = 0:
//
//     w <- w - eta_t (g + lambda sign(w))
//
// With all rows in a batch (--batch 0, the default) the model is the iterate with the smallest P,
// because a subgradient step may increase P.
//
// With --gram (squared loss) a full step takes the gradient from stored products, as Algorithm 2.
//
// Departures: a batch is cut from a shuffled pass, or its rows are drawn with replacement (--order
// replacement), where Algorithm 3 draws batches without a row twice; for single rows the draws are
// the paper's. Weights are rarely exactly 0, so --features is refused.
//
// Cost: with all rows O(all non-zeros) per step on all cores, rows and columns in memory; with
// --gram O(d^2) per step and 8 d^2 bytes for the d features that occur. With
// smaller batches O(non-zeros of the batch + features seen so far): lambda sign(w) flips around
// zero and cannot be deferred.

#include <fmt/format.h>

#include <limits>

#include "solvers/batch/batch_solver.hpp"
#include "solvers/batch/gram.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "sparse/slot_list.hpp"
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
        wanted_(setup),
        uses_gram_(setup.flag("gram")),
        memory_(setup.options.memory) {
    check_auto_eta(setup);
    if (!uses_gram_) return;
    if (loss_.kind() != Loss::squared) throw UsageError("--gram requires --loss squared");
    if (compensated_) throw UsageError("--gram and --compensated exclude each other");
    classifies_ = false;  // mistakes are not counted: there are no margins
  }

  void begin() override {
    BatchSolver::begin();
    best_ = now_;
    if (uses_gram_) make_gram();
    step_size_ = StepSize(choose_eta(wanted_), schedule_);
  }

  double penalty() const override { return lambda_ * l1_norm(state_.weights); }

  void archive(Archive& a) override {
    BatchSolver::archive(a);
    a.in_place(best_.weights);
    a(best_.intercept, best_objective_);
  }

 private:
  void make_gram() {
    const std::size_t columns = matrix_->columns() + (learns_intercept_ ? 1 : 0);
    if (Gram::bytes(columns) > static_cast<double>(memory_)) {
      throw UsageError(fmt::format(
          "--gram needs {:.3g} MB for the products of {} columns, --memory is {:.3g} MB",
          Gram::bytes(columns) / 1e6, columns, static_cast<double>(memory_) / 1e6));
    }
    gram_.emplace(*matrix_, learns_intercept_);
    state_.accesses += gram_->reads();
  }

  double find_gradient() override {
    if (!gram_) return BatchSolver::find_gradient();
    std::vector<double> point = now_.weights;
    if (learns_intercept_) point.push_back(now_.intercept);
    const double loss = gram_->differentiate(point, gradient_.weights);
    if (learns_intercept_) {
      gradient_.intercept = gradient_.weights.back();
      gradient_.weights.pop_back();
    }
    return loss;
  }

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
    compare(gram_ ? find_gradient() : evaluate(now_));
    state_.accesses = accesses;
    return best_;
  }

  double lambda_;
  StepSize step_size_;
  Schedule schedule_;
  StepChoice wanted_;
  bool uses_gram_;
  std::uint64_t memory_;
  std::optional<Gram> gram_;
  Point best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
};

class BatchedSubgradient : public GradientSolver<BatchedSubgradient> {
 public:
  explicit BatchedSubgradient(const SolverSetup& setup)
      : GradientSolver(setup, setup.count("batch")), lambda_(setup.options.lambda) {
    if (setup.options.auto_eta)
      throw UsageError("--eta auto requires steps over all rows (--batch 0)");
  }

  static constexpr bool kCountsFreely = true;

  void begin() override {
    state_.for_each_weight([&](std::uint32_t slot, double) { seen_.add(slot); });
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    seen_.ensure_slots(n);
  }

  void step(const Gradient& gradient, double eta) {
    for (const std::uint32_t slot : seen_.slots()) {
      const double w = state_.weights[slot];
      set_weight(slot, w - eta * lambda_ * sign(w));
    }
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      set_weight(slot, state_.weights[slot] - eta * gradient.at(i));
      seen_.add(slot);
    }
  }

  void average_step(const Gradient&) {
    for (const std::uint32_t slot : seen_.slots()) average_->add(slot, state_.weights[slot]);
    average_->step(state_.intercept);
  }

  double penalty() const override { return lambda_ * l1_norm(); }

  void archive(Archive& a) override {
    GradientSolver::archive(a);
    a(seen_);
  }

 private:
  double lambda_;
  SlotList seen_;
};

}  // namespace

CatalogEntry subgradient() {
  CatalogEntry entry =
      entry_for_rows("subgradient", "Dhingra et al., Algorithms 2 and 3",
                     "w -= eta_t (g + lambda sign(w)); with all rows the best iterate is kept",
                     "O(all non-zeros); in batches O(non-zeros of the batch + features seen)");
  entry.info.softmax = false;
  entry.info.needs = "all rows and columns in memory; in batches rows, one at a time";
  entry.info.in_memory = true;
  entry.info.budget = BudgetUse::refused;
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::inverse;
  entry.info.schedule_of_all_rows = Schedule::constant;
  entry.info.auto_eta = "1 / (curvature of the loss times the largest eigenvalue of X'X / m)";
  entry.info.steps = "constant with all rows, inverse in batches";
  OptionInfo gram{OptionInfo::Kind::flag, "gram", "false",
                  "all rows: step from stored A'A and A'Y, d^2 numbers (squared loss)"};
  gram.recorded = false;
  entry.info.options = {batch_option("0"), gram};
  entry.info.example = "thresh train DATA --solver subgradient --eta 1 --passes 100";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    if (setup.count("batch") != 0 && setup.flag("gram")) {
      throw UsageError("--gram requires steps over all rows (--batch 0)");
    }
    if (setup.count("batch") == 0) return std::make_unique<FullSubgradient>(setup);
    return std::make_unique<BatchedSubgradient>(setup);
  };
  return entry;
}

}  // namespace thresh
