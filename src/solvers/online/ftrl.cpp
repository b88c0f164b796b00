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
// Cost: O(non-zeros of the row) per step; four doubles per feature.

#include <array>

#include "solvers/online/gradient_solver.hpp"
#include "sparse/wide.hpp"
#include "thresh/error.hpp"

namespace thresh {

// The numbers of a few features, and the steps that they take together with SIMD.
struct FtrlStretch {
  static constexpr std::size_t kMost = 64;
  std::array<double, kMost> weight, z, n, root, gradient;  // root: of n

  struct Rule {
    double lambda, alpha, beta, l2;
  };
  // Returns the change in the number of non-zero weights.
  std::int64_t step(std::size_t size, const Rule& rule);
};

THRESH_WIDE std::int64_t FtrlStretch::step(std::size_t size, const Rule& rule) {
  std::int64_t more = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double g = gradient[i];
    n[i] += g * g;
    const double grown = std::sqrt(n[i]);
    const double sigma = (grown - root[i]) / rule.alpha;
    root[i] = grown;
    z[i] += g - sigma * weight[i];
    const double rate = (rule.beta + grown) / rule.alpha + rule.l2;
    // Without gradients there is nothing to divide by and nothing to learn.
    const double quotient = -soft_threshold(z[i], rule.lambda) / rate;
    const double now = rate > 0 ? quotient : 0;
    more += static_cast<std::int64_t>(now != 0) - static_cast<std::int64_t>(weight[i] != 0);
    weight[i] = now;
  }
  return more;
}

namespace {

class Ftrl : public GradientSolver<Ftrl> {
 public:
  explicit Ftrl(const SolverSetup& setup)
      : GradientSolver(setup),
        rule_{setup.options.lambda, setup.number("alpha") * setup.step_scale, setup.number("beta"),
              setup.number("l2")} {
    if (rule_.alpha <= 0) throw UsageError("--alpha must be above 0");
    if (rule_.beta < 0 || rule_.l2 < 0) throw UsageError("--beta and --l2 must be at least 0");
  }

  static constexpr bool kCountsFreely = true;
  static constexpr std::size_t kNumbers = 4;  // weight, z, n, the root of n

  // Sets the sums that would have led to the initial model.
  void begin() override {
    state_.for_each_weight([&](std::uint32_t slot, double weight) {
      state_.weights.at(slot)[1] =
          -weight * (rule_.beta / rule_.alpha + rule_.l2) - std::copysign(rule_.lambda, weight);
    });
  }

  void step(const Gradient& gradient, double) {
    for (std::size_t i = 0; i < gradient.size; i += kStretch) {
      step_stretch(gradient, i, std::min(kStretch, gradient.size - i));
    }
  }

  double penalty() const override {
    return rule_.lambda * l1_norm() / static_cast<double>(std::max<std::uint64_t>(1, state_.t));
  }

 private:
  static constexpr std::size_t kStretch = FtrlStretch::kMost;

  void step_stretch(const Gradient& gradient, std::size_t first, std::size_t size) {
    fetch_ahead(size);
    const std::uint32_t* const slots = gradient.slots + first;
    double* const numbers = state_.weights.at(0);
    for (std::size_t i = 0; i < size; ++i) {
      const double* const at = numbers + slots[i] * kNumbers;
      stretch_.weight[i] = at[0];
      stretch_.z[i] = at[1];
      stretch_.n[i] = at[2];
      stretch_.root[i] = at[3];
      stretch_.gradient[i] = gradient.at(first + i);
    }
    state_.nonzeros += static_cast<std::uint64_t>(stretch_.step(size, rule_));
    for (std::size_t i = 0; i < size; ++i) {
      double* const at = numbers + slots[i] * kNumbers;
      at[0] = stretch_.weight[i];
      at[1] = stretch_.z[i];
      at[2] = stretch_.n[i];
      at[3] = stretch_.root[i];
    }
  }

  FtrlStretch::Rule rule_;
  FtrlStretch stretch_;
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
                        {OptionInfo::Kind::number, "l2", "0", "strength of an l2 penalty"},
                        slices_option()};
  add_losses_for_numbers(entry.info);
  entry.info.example = "thresh train DATA --solver ftrl --alpha 0.5 --lambda 1 --passes 1";
  entry.make = make_solver<Ftrl>;
  return entry;
}

}  // namespace thresh
