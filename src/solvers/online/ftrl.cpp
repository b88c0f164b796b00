// ftrl: McMahan et al., "Ad Click Prediction: a View from the Trenches", 2013, Algorithm 1
// (FTRL-Proximal, per coordinate).
//
// For each coordinate of a row's loss gradient g, with its own sums z and n:
//
//     sigma <- (sqrt(n + g^2) - sqrt(n)) / alpha
//     z <- z + g - sigma w;   n <- n + g^2
//     w <- 0                                                              if |z| <= lambda
//     w <- -(z - lambda sign(z)) / ((beta + sqrt(n)) / alpha + l2)        otherwise
//
// lambda acts on the sum of gradients, as in the paper, not on their mean.
//
// Departures: the intercept takes the plain gradient step with --eta.
//
// Cost: O(non-zeros of the row) per step; three doubles per feature.

#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class Ftrl : public GradientSolver<Ftrl> {
 public:
  explicit Ftrl(const SolverSetup& setup)
      : GradientSolver(setup),
        lambda_(setup.options.lambda),
        alpha_(setup.number("alpha") * setup.step_scale),
        beta_(setup.number("beta")),
        l2_(setup.number("l2")) {
    if (alpha_ <= 0) throw UsageError("--alpha must be above 0");
    if (beta_ < 0 || l2_ < 0) throw UsageError("--beta and --l2 must be at least 0");
  }

  static constexpr bool kCountsFreely = true;

  // Sets the sums that would have led to the initial model.
  void begin() override {
    state_.for_each_weight([&](std::uint32_t slot, double weight) {
      z_[slot] = -weight * (beta_ / alpha_ + l2_) - std::copysign(lambda_, weight);
    });
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    z_.ensure(n);
    n_.ensure(n);
  }

  // Prefetch: roots and divisions take too long to reach the next cache miss out of order.
  void touch(const Row& row) const {
    for (std::size_t i = 0; i < row.size; ++i) {
      __builtin_prefetch(&z_[row.slots[i]]);
      __builtin_prefetch(&n_[row.slots[i]]);
    }
  }

  void step(const Gradient& gradient, double) {
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      const double g = gradient.at(i);
      const double n = n_[slot] + g * g;
      const double sigma = (std::sqrt(n) - std::sqrt(n_[slot])) / alpha_;
      z_[slot] += g - sigma * state_.weights[slot];
      n_[slot] = n;
      const double rate = (beta_ + std::sqrt(n)) / alpha_ + l2_;
      // Without gradients there is nothing to divide by and nothing to learn.
      set_weight(slot, rate > 0 ? -soft_threshold(z_[slot], lambda_) / rate : 0);
    }
  }

  double penalty() const override {
    return lambda_ * l1_norm() / static_cast<double>(std::max<std::uint64_t>(1, state_.t));
  }

 private:
  double lambda_, alpha_, beta_, l2_;
  ZeroedArray<double> z_, n_;
};

}  // namespace

CatalogEntry ftrl() {
  CatalogEntry entry = entry_for_rows("ftrl", "McMahan et al. 2013, Algorithm 1",
                                      "w_j = -S(z_j, lambda) / ((beta + sqrt(n_j))/alpha + l2)",
                                      "O(non-zeros of the row)");
  entry.info.objective =
      "sum L(a, y) + lambda |w|_1 + (l2/2) |w|^2; traced: mean L + (lambda/t) |w|_1";
  entry.info.schedule = Schedule::constant;
  entry.info.steps = "its own; --eta and --schedule (constant) apply only to the intercept";
  entry.info.options = {{OptionInfo::Kind::number, "alpha", "0.1", "scale of the step sizes"},
                        {OptionInfo::Kind::number, "beta", "1", "damps the first steps"},
                        {OptionInfo::Kind::number, "l2", "0", "strength of an l2 penalty"}};
  entry.info.example = "thresh train DATA --solver ftrl --alpha 0.5 --lambda 1 --passes 1";
  entry.make = make_solver<Ftrl>;
  return entry;
}

}  // namespace thresh
