// eg: Kivinen & Warmuth, "Exponentiated Gradient Versus Gradient Descent for Linear Predictors",
// EG+-; Duchi et al., eq. 13.
//
// Minimises mean L(a, y) subject to |w|_1 <= z. Two positive vectors start at z/(2d) each, and for
// batch t with mean loss gradient g:
//
//     w+_j <- w+_j exp(-eta_t g_j),   w-_j <- w-_j exp(eta_t g_j),   scaled to a total mass of z
//     w = w+ - w-
//
// Both vectors were only multiplied by inverse factors, so u_j = -sum eta_t g_j represents both:
// w_j = z (exp(u_j) - exp(-u_j)) / total, total = sum over all d of both exponentials.
//
// With --non-negative there is only w+ (Duchi's eq. 13 as printed), and every feature that occurred
// has a weight: w_j = z exp(u_j) / total.
//
// Departures: none; rows come in the order that --order says. The model is dense in the features
// that occurred; --features is refused.
//
// Cost: O(non-zeros of the batch) per step. The total is a compensated running sum, recomputed
// after it has fallen far below its peak. Everything is relative to exp(shift), then the largest
// exponential, so nothing cancels, overflows or vanishes. Two doubles per feature.

#include <algorithm>

#include "math/elementary.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "sparse/compensated_sum.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class Eg : public GradientSolver<Eg> {
 public:
  explicit Eg(const SolverSetup& setup)
      : GradientSolver(setup, setup.count("batch")),
        radius_(setup.number("radius")),
        signs_(setup.signs()),
        dimension_(static_cast<double>(setup.dimension)) {
    if (radius_ <= 0) throw UsageError("--radius must be above 0");
    if (setup.dimension == 0) {
      throw UsageError("eg must know the dimension: give --dim, or rows from a file");
    }
    add_up();
  }

  void begin() override {
    if (state_.nonzeros > 0) throw UsageError("eg cannot start from a model");
  }

  // All features share the mass from the first row on.
  std::string needs_in_advance() const override { return "the number of features"; }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    u_.ensure(n);
    if (signs_.restrict()) seen_.ensure(n);
  }

  void touch(const Row& row) {
    // Prefetch: exponentials take too long for out-of-order execution to reach the next cache miss.
    for (std::size_t i = 0; i < row.size; ++i) {
      __builtin_prefetch(&u_[row.slots[i]]);
      __builtin_prefetch(&state_.weights[row.slots[i]]);
    }
    for (std::size_t i = 0; i < row.size; ++i) {
      if (!is_fresh(row.slots[i])) work_out(row.slots[i]);
    }
  }

  void step(const Gradient& gradient, double eta) {
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      double& u = u_[slot];
      total_.add(-mass(u));
      u -= eta * gradient.at(i) * (signs_.restrict() ? signs_.of(slot) : 1);
      if (exponent(u) > shift_ + kFarAbove) {
        add_up();  // includes u
      } else {
        total_.add(mass(u));
      }
      peak_ = std::max(peak_, total_.value());
    }
    if (total_.value() < 1e-6 * peak_) add_up();
  }

  void archive(Archive& a) override {
    a(shift_, u_, seen_, total_, peak_);
    GradientSolver::archive(a);
  }

 private:
  static constexpr double kFarAbove = 300;  // exp(300) and its square are far from overflow

  // The larger exponent of u.
  double exponent(double u) const { return signs_.restrict() ? u : std::fabs(u); }

  // exp(u) + exp(-u), relative to exp(shift).
  double mass(double u) const {
    return portable::exp(u - shift_) + (signs_.restrict() ? 0 : portable::exp(-u - shift_));
  }

  // Relative to the largest exponential, so that the total is at least 1.
  void add_up() {
    shift_ = 0;
    for (const double u : u_.span()) shift_ = std::max(shift_, exponent(u));
    double seen = 0;
    CompensatedSum total;
    for (const double u : u_.span()) {
      if (u == 0) continue;
      total.add(mass(u));
      ++seen;
    }
    total.add((dimension_ - seen) * mass(0));
    total_ = total;
    peak_ = total_.value();
  }

  void work_out(std::size_t slot) {
    const double u = std::as_const(u_)[slot];
    const auto narrow = static_cast<std::uint32_t>(slot);
    if (signs_.restrict()) {
      seen_[slot] = 1;
      set_weight(narrow, signs_.of(narrow) * radius_ * (mass(u) / total_.value()));
      return;
    }
    // The difference of the exponentials, without cancellation if they are close.
    const double difference = std::fabs(u) <= 0.5
                                  ? 2 * portable::sinh_within_half(u) * portable::exp(-shift_)
                                  : portable::exp(u - shift_) - portable::exp(-u - shift_);
    set_weight(narrow, radius_ * (difference / total_.value()));
  }

  void do_settle() override {
    for (std::size_t slot = 0; slot < u_.size(); ++slot) {
      const bool occurred = signs_.restrict() ? std::as_const(seen_)[slot] != 0
                                              : std::as_const(u_)[slot] != 0 ||
                                                    std::as_const(state_.weights)[slot] != 0;
      if (occurred) work_out(slot);
    }
  }

  double radius_;
  Signs signs_;
  double dimension_;
  double shift_ = 0;
  ZeroedArray<double> u_;
  ZeroedArray<char> seen_;  // features that occurred; used if all of them have weights
  CompensatedSum total_;
  double peak_ = 0;  // of the total since it was last recomputed
};

}  // namespace

CatalogEntry eg() {
  CatalogEntry entry =
      entry_for_rows("eg", "Kivinen & Warmuth 1997; Duchi et al. 2008, eq. 13",
                     "w+ *= exp(-eta_t g), w- *= exp(eta_t g), total mass z, w = w+ - w-",
                     "O(non-zeros of the batch)");
  entry.info.objective = "mean L(a, y) with |w|_1 <= z";
  entry.info.needs = "rows, one at a time; the dimension";
  entry.info.unused = {"lambda"};
  entry.info.budget = BudgetUse::refused;
  entry.info.starts_anew = true;
  entry.info.no_average = "every step divides all weights by a new total, whose sums would cancel";
  entry.info.schedule = Schedule::sqrt;
  entry.info.options = {{OptionInfo::Kind::number, "radius", "", "z: the total mass"},
                        batch_option(),
                        non_negative_option()};
  entry.info.example = "thresh train DATA --solver eg --radius 100 --eta 1";
  entry.make = make_solver<Eg>;
  return entry;
}

}  // namespace thresh
