// budget: a model of at most K features, without a step size or a penalty to choose.
//
// Minimises mean L(a, y) subject to at most K non-zeros, over a run that is cut into 20 stages of
// the same number of rows.
//
// Stages 1 to 15 learn by FTRL-Proximal (McMahan et al. 2013, Algorithm 1), whose weights are
//
//     w_j = -S(z_j, lambda) / ((1 + sqrt(n_j)) / alpha),     alpha = 1
//
// so that lambda decides how many there are: it need not be chosen but is read off, at the end of
// each stage, as the |z_j| that leaves the number of features the stage allows. That number falls
// from all features to K by the same factor a stage, and is K after 12. Features may come back as
// long as there are stages left. Stages 16 to 20 refit: the support stays, lambda is 0, n starts
// anew and alpha is 3, so that the weights recover what the threshold took from them.
//
// Rows are measured in units of a typical row's length, so the scale of the data does not matter.
//
// Cost: O(non-zeros of the row) per step and O(features seen) per stage; three doubles a feature.

#include <algorithm>

#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kStages = 20;
constexpr std::uint64_t kNarrowing = 12;  // stages until only K are left
constexpr std::uint64_t kSelecting = 15;  // stages until the support is final
constexpr double kSelectAlpha = 1;
constexpr double kRefitAlpha = 3;

class Budget : public GradientSolver<Budget> {
 public:
  explicit Budget(const SolverSetup& setup)
      : GradientSolver(setup),
        k_(setup.max_nonzeros),
        steps_(setup.options.steps.value_or(setup.options.passes * setup.rows)),
        unit_(setup.row_length > 0 ? 1 / setup.row_length : 1),
        learns_intercept_(setup.options.intercept) {
    if (steps_ == 0) {
      throw UsageError("budget must know the number of rows: give --steps, or rows from a file");
    }
    step_size_ = StepSize(0, Schedule::constant);  // the intercept is learned below, too
  }

  // The solver keeps to K by itself.
  bool counts_freely() const override { return true; }

  void begin() override {
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      const double weight = std::as_const(state_.weights)[slot];
      if (weight != 0) z_[slot] = -weight / unit_ / alpha_;
    }
    intercept_.z = -state_.intercept / alpha_;
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    z_.ensure(n);
    n_.ensure(n);
  }

  void step(const Gradient& gradient, double) {
    const bool refits = stage_ >= kSelecting;
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      if (refits && state_.weights[slot] == 0) continue;
      follow(gradient.at(i) * unit_, state_.weights[slot] / unit_, z_[slot], n_[slot]);
      work_out(slot);
    }
    if (learns_intercept_ && gradient.intercept != 0) {
      follow(gradient.intercept, state_.intercept, intercept_.z, intercept_.n);
      state_.intercept = -intercept_.z / rate(intercept_.n);
    }
    while (stage_ < kStages && state_.t >= stage_end()) end_stage();
  }

  // A run that was interrupted early has more features than it may: the best K of them then.
  void go_back_within(std::uint64_t budget) override {
    if (state_.nonzeros > budget) narrow_to(budget);
  }

 private:
  struct Sums {
    double z = 0;
    double n = 0;
  };

  double rate(double n) const { return (1 + std::sqrt(n)) / alpha_; }

  void follow(double g, double weight, double& z, double& n) const {
    const double more = n + g * g;
    z += g - (std::sqrt(more) - std::sqrt(n)) / alpha_ * weight;
    n = more;
  }

  void work_out(std::uint32_t slot) {
    set_weight(slot, -soft_threshold(z_[slot], lambda_) / rate(n_[slot]) * unit_);
  }

  // The step after which the current stage is over.
  std::uint64_t stage_end() const { return ((stage_ + 1) * steps_ + kStages - 1) / kStages; }

  void end_stage() {
    ++stage_;
    if (stage_ == 1) first_ = std::max(k_, state_.nonzeros);
    if (stage_ <= kSelecting) {
      const double share =
          std::min(1.0, static_cast<double>(stage_) / static_cast<double>(kNarrowing));
      const double allowed = std::pow(static_cast<double>(first_), 1 - share) *
                             std::pow(static_cast<double>(k_), share);
      narrow_to(std::max(k_, static_cast<std::uint64_t>(allowed)));
    }
    if (stage_ == kSelecting) begin_refit();
  }

  // Sets lambda so that at most so many weights are not zero.
  void narrow_to(std::uint64_t allowed) {
    std::vector<double> magnitudes;
    for (const double z : z_.span()) {
      if (z != 0) magnitudes.push_back(std::fabs(z));
    }
    lambda_ = 0;
    if (magnitudes.size() > allowed) {
      const auto cut = magnitudes.begin() + static_cast<std::ptrdiff_t>(allowed);
      std::nth_element(magnitudes.begin(), cut, magnitudes.end(), std::greater<>());
      lambda_ = *cut;
    }
    for (std::size_t slot = 0; slot < z_.size(); ++slot) {
      if (std::as_const(z_)[slot] != 0) work_out(static_cast<std::uint32_t>(slot));
    }
  }

  // From the weights as they are, without threshold and with fresh steps.
  void begin_refit() {
    lambda_ = 0;
    alpha_ = kRefitAlpha;
    for (std::size_t slot = 0; slot < z_.size(); ++slot) {
      if (std::as_const(z_)[slot] == 0) continue;
      n_[slot] = 0;
      z_[slot] = -state_.weights[slot] / unit_ * rate(0);
    }
    intercept_ = {-state_.intercept * rate(0), 0};
  }

  std::uint64_t k_;
  std::uint64_t steps_;  // of the whole run
  double unit_;          // 1 / length of a typical row
  bool learns_intercept_;
  double alpha_ = kSelectAlpha;
  double lambda_ = 0;
  std::uint64_t stage_ = 0;  // that are over
  std::uint64_t first_ = 0;  // features at the end of the first stage
  ZeroedArray<double> z_, n_;
  Sums intercept_;
};

}  // namespace

CatalogEntry budget() {
  CatalogEntry entry;
  entry.info.name = "budget";
  entry.info.paper = "thresh; the learner is McMahan et al. 2013, Algorithm 1";
  entry.info.objective = "mean L(a, y) with at most K non-zeros";
  entry.info.update = "w_j = -S(z_j, lambda) / ((1 + sqrt(n_j))/alpha), lambda read off the |z_j|";
  entry.info.cost = "O(non-zeros of the row), and 15 times in a run O(features seen)";
  entry.info.needs = "rows, one at a time; their number";
  entry.info.unused = {"eta", "lambda", "schedule"};
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.budget = BudgetUse::required;
  entry.info.passes = 20;
  entry.info.measures_rows = true;
  entry.info.steps = "its own: --eta, --lambda and --schedule are not used";
  entry.info.example = "thresh train DATA --solver budget --features 500";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    return std::make_unique<Budget>(setup);
  };
  return entry;
}

}  // namespace thresh
