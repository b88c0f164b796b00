// rda: Xiao, "Dual Averaging Methods for Regularized Stochastic Learning and Online Optimization",
// 2010, the l1-RDA method.
//
// Minimises mean L(a, y) + lambda |w|_1. With gbar the mean of the t loss gradients so far:
//
//     w_j <- 0                                                   if |gbar_j| <= lambda
//     w_j <- -(sqrt(t) / gamma) (gbar_j - lambda sign(gbar_j))   otherwise
//
// Departures: the intercept takes the plain gradient step with --eta.
//
// Cost: O(non-zeros of the row) per step: a weight is a function of its sum of gradients and t, and
// is computed when it is read. Two doubles per feature.

#include "solvers/online/gradient_solver.hpp"
#include "sparse/slot_list.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class Rda : public GradientSolver<Rda> {
 public:
  explicit Rda(const SolverSetup& setup)
      : GradientSolver(setup),
        lambda_(setup.options.lambda),
        gamma_(setup.number("gamma") / setup.step_scale) {
    if (!(gamma_ > 0)) throw UsageError("--gamma must be above 0");
  }

  void begin() override {
    if (state_.nonzeros > 0)
      throw UsageError("rda cannot start from a model, because a model does not store gradients");
    steps_before_ = state_.t;
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    sums_.ensure(n);
    weighted_.ensure_slots(n);
  }

  void touch(const Row& row) {
    for (std::size_t i = 0; i < row.size; ++i) work_out(row.slots[i]);
  }

  void step(const Gradient& gradient, double) {
    for (std::size_t i = 0; i < gradient.size; ++i) {
      sums_[gradient.slots[i]] += gradient.at(i);
      if (lists_) weighted_.add(gradient.slots[i]);
    }
  }

  void average_step(const Gradient& gradient) {
    for_each_changed(gradient, [&](std::uint32_t slot) {
      average_->fall_from(slot, -std::as_const(sums_)[slot]);
    });
    const auto t = static_cast<double>(state_.t - steps_before_);
    average_->step(state_.intercept, 1 / (gamma_ * std::sqrt(t)), lambda_ * std::sqrt(t) / gamma_,
                   lambda_ * t);
  }

  double penalty() const override { return lambda_ * l1_norm(); }

  std::optional<std::uint64_t> settled_nonzeros() override {
    if (state_.t == steps_before_) return state_.nonzeros;
    if (!lists_) begin_list();
    drop_the_dead();
    return weighted_.slots().size();
  }
  // |gbar_j| falls while a feature does not occur, so rows without it do not make it non-zero.
  bool grows_by_entries() const override { return steps_every_row(); }

  void archive(Archive& a) override {
    a.by_slot(sums_);
    a(steps_before_);
    GradientSolver::archive(a);
    if (!a.by_feature()) a(lists_, weighted_);  // else the list is made again
  }

 private:
  double weight_of(double sum) const {
    const auto t = static_cast<double>(state_.t - steps_before_);
    return -(std::sqrt(t) / gamma_) * soft_threshold(sum / t, lambda_);
  }

  void work_out(std::size_t slot) {
    if (state_.t == steps_before_) return;
    set_weight(static_cast<std::uint32_t>(slot), weight_of(std::as_const(sums_)[slot]));
  }

  void do_settle() override {
    if (lists_ && state_.t > steps_before_) {
      drop_the_dead();
      for (const std::uint32_t slot : weighted_.slots()) work_out(slot);
      return;
    }
    for (std::size_t slot = 0; slot < sums_.size(); ++slot) {
      // A sum that returned to 0 may have left a non-zero weight.
      if (std::as_const(sums_)[slot] != 0 || std::as_const(state_.weights)[slot] != 0) {
        work_out(slot);
      }
    }
  }

  // From the first support check on, lists the weighted slots to make the next ones cheap.
  void begin_list() {
    lists_ = true;
    for (std::size_t slot = 0; slot < sums_.size(); ++slot) {
      if (std::as_const(sums_)[slot] == 0 && std::as_const(state_.weights)[slot] == 0) continue;
      weighted_.add(static_cast<std::uint32_t>(slot));
    }
  }

  void drop_the_dead() {
    weighted_.drop_if([&](std::uint32_t slot) {
      if (weight_of(std::as_const(sums_)[slot]) != 0) return false;
      set_weight(slot, 0);
      return true;
    });
  }

  const std::vector<std::uint32_t>* weighted_slots() const override {
    return lists_ ? &weighted_.slots() : nullptr;
  }

  double lambda_;
  double gamma_;
  bool lists_ = false;
  SlotList weighted_;               // all slots that may have a weight, if lists_
  std::uint64_t steps_before_ = 0;  // at which the sums began; not 0 after a divergence
  ZeroedArray<double> sums_;
};

}  // namespace

CatalogEntry rda() {
  CatalogEntry entry =
      entry_for_rows("rda", "Xiao 2010, l1-RDA",
                     "w_j = -(sqrt(t)/gamma) S(gbar_j, lambda), gbar the mean gradient so far",
                     "O(non-zeros of the row)");
  entry.info.starts_anew = true;
  entry.info.schedule = Schedule::constant;
  entry.info.steps = "its own; --eta and --schedule (constant) apply only to the intercept";
  entry.info.options = {
      {OptionInfo::Kind::number, "gamma", "1", "larger: smaller weights, slower learning"},
      slices_option()};
  add_losses_for_numbers(entry.info);
  entry.info.example = "thresh train DATA --solver rda --gamma 5 --lambda 1e-3";
  entry.make = make_solver<Rda>;
  return entry;
}

}  // namespace thresh
