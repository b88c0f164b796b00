// smidas: Shalev-Shwartz & Tewari, "Stochastic Methods for l1-regularized Loss Minimization",
// Algorithm 3 (Stochastic MIrror Descent Algorithm mAde Sparse).
//
// Minimises mean L(a, y) + lambda |w|_1. The steps change a dual vector theta; the weights are its
// image under the inverse p-norm link (eq. 12):
//
//     theta <- S(theta - eta g, eta lambda)      (--threshold plain: lambda, Xie et al., eq. 9)
//     w_j = sign(theta_j) |theta_j|^(p-1) / |theta|_p^(p-2)
//
// Departures: rows come in shuffled passes; --order replacement draws them, as the paper does. p
// defaults to 2 ln(d), rounded up. Powers use logarithms, so that no p and no theta
// overflow; a weight too small for a double is 0 and not counted.
//
// Cost: O(non-zeros of theta) per step, because all of them shrink and contribute to the norm; two
// doubles per feature.

#include <fmt/format.h>

#include <algorithm>

#include "loss/bounds.hpp"
#include "math/elementary.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "sparse/compensated_sum.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

bool depends_on_dimension(const std::string& p) {
  return p.empty() || p == "2ln" || p == "0.5ln";
}

double choose_p(const SolverSetup& setup) {
  const std::string text = setup.word("p");
  if (!depends_on_dimension(text)) return setup.number("p");
  if (setup.dimension == 0) {
    throw UsageError("smidas must know the dimension: give --dim, --p, or rows from a file");
  }
  const double log_d = portable::log(static_cast<double>(setup.dimension));
  if (text.empty()) return std::max(2.0, std::ceil(2 * log_d));
  return text == "2ln" ? 2 * log_d : 0.5 * log_d;
}

class Smidas : public GradientSolver<Smidas> {
 public:
  explicit Smidas(const SolverSetup& setup)
      : GradientSolver(setup),
        lambda_(setup.options.lambda),
        p_(choose_p(setup)),
        eta_(setup.eta * setup.step_scale),
        knows_dimension_(depends_on_dimension(setup.word("p")) || setup.options.auto_eta),
        scaled_(setup.word("threshold") == "scaled"),
        k_(setup.number("k")),
        auto_eta_(setup.options.auto_eta),
        dimension_(static_cast<double>(setup.dimension)),
        all_steps_(static_cast<double>(setup.all_steps)),
        averages_(setup.options.iterate == Iterate::average),
        drawn_(setup.options.order == Order::replacement),
        constant_(setup.options.schedule.value_or(Schedule::constant) == Schedule::constant),
        two_classes_(setup.options.task == Task::classification),
        intercept_(setup.options.intercept),
        largest_value_(setup.largest_value),
        weighted_rows_(setup.weighted_rows),
        norm_sums_(setup.slice_sums()) {
    if (!(p_ >= 2)) throw UsageError("--p must be at least 2, and is " + std::to_string(p_));
    if (!(k_ > 0)) throw UsageError("--k must be above 0");
    if (!setup.options.auto_eta) return;
    const std::optional<double> rho = self_bound(loss_.kind());
    if (!rho) throw UsageError("--eta auto: Proposition 4 does not hold for the hinge loss");
    const double eta = smidas_step(p_, *rho, norm_factor(), k_);
    eta_ = eta * setup.step_scale;
    step_size_ = setup.step_size(eta);
  }

  // Computes the dual vector of an initial model: the link itself, with q = p/(p-1) for p.
  void begin() override {
    const double q = p_ / (p_ - 1);
    std::vector<double> magnitudes;
    state_.for_each_weight([&](std::uint32_t slot, double weight) {
      active_.push_back(slot);
      magnitudes.push_back(std::fabs(weight));
    });
    started_ = !active_.empty();
    const double log_norm = log_of_norm(magnitudes, q);
    for (const std::uint32_t slot : active_) theta_[slot] = link(state_.weights[slot], q, log_norm);
    measure();
  }

  std::string needs_in_advance() const override {
    return knows_dimension_ ? "the number of features, unless --p and --eta are numbers" : "";
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    theta_.ensure(n);
    if (norm_sums_) norm_sums_->ensure_slots(n);
  }

  void touch(const Row& row) {
    for (std::size_t i = 0; i < row.size; ++i) work_out(row.slots[i]);
  }

  void step(const Gradient& gradient, double eta) {
    for (std::size_t i = 0; i < gradient.size; ++i) {
      double& theta = theta_[gradient.slots[i]];
      const double moved = theta - eta * gradient.at(i);
      if (theta == 0 && moved != 0) active_.push_back(gradient.slots[i]);
      theta = moved;
    }
    shrink(scaled_ ? eta * lambda_ : lambda_);
    measure();
  }

  void average_step(const Gradient&) {
    for (const std::uint32_t slot : active_) {
      work_out(slot);
      average_->add(slot, state_.weights[slot]);
    }
    average_->step(state_.intercept);
  }

  double penalty() const override { return lambda_ * l1_norm(); }

  void archive(Archive& a) override {
    a.by_slot(theta_);
    a(started_, log_norm_);
    GradientSolver::archive(a);
    if (a.by_feature()) return archive_active(a);
    a.below(a.reads() ? theta_.size() : kUnlimited, active_);
  }

  std::vector<Finding> theory() const override {
    std::vector<Finding> found;
    const std::optional<double> rho = self_bound(loss_.kind());
    if (rho) {
      found.push_back({"recommended step (Proposition 4)", smidas_step(p_, *rho, norm_factor(), k_),
                       "--eta auto uses it; K is --k"});
    }
    found.push_back(suboptimality(rho));
    if (rho && auto_eta_ && found.back().value) found.push_back(relative_bound(*rho));
    return found;
  }

 private:
  // d^(2/p): e for p = 2 ln d. It bounds |x|_p^2 of rows with |x_j| <= 1.
  double norm_factor() const {
    return dimension_ > 0 ? portable::pow(dimension_, 2 / p_) : std::numbers::e;
  }

  Finding suboptimality(std::optional<double> rho) const {
    Finding bound{"expected suboptimality (Theorem 3)", std::nullopt, ""};
    const double at_zero = loss_at_zero(loss_.kind());
    const auto no = [&](const std::string& why) {
      bound.note = "does not apply: " + why;
      return bound;
    };
    if (!two_classes_) return no("it is evaluated for two classes only");
    if (intercept_) return no("an intercept is outside the theorem (see --no-intercept)");
    if (lambda_ == 0) return no("without lambda nothing bounds the optimum");
    if (!constant_) return no("the step size is not constant");
    if (!scaled_) return no("it is about --threshold scaled");
    if (!drawn_) return no("rows must be drawn (--order replacement)");
    if (all_steps_ == 0 && !averages_) {
      return no("it is about a random iterate or their mean (--iterate random or average)");
    }
    if (dimension_ == 0) return no("the dimension is unknown");
    if (largest_value_ > 1) return no("features go beyond [-1, 1]");
    if (weighted_rows_) return no("rows have weights");
    if (started_) return no("the run must start from 0, not from a model");
    const double T = theorem_steps(), factor = norm_factor();
    if (has_bounded_slope(loss_.kind()))
      bound.value = smidas_bound_lipschitz(p_, factor, eta_, T, at_zero, lambda_);
    if (rho) {
      const auto other = smidas_bound(p_, *rho, factor, eta_, T, at_zero, lambda_);
      if (other && (!bound.value || *other < *bound.value)) bound.value = other;
    }
    if (!bound.value) return no("the step is too large");
    bound.note = "in expectation over the draws, with |w*|_1 <= P(0)/lambda";
    return bound;
  }

  // Of the mean of the iterates the bounds hold because the objective is convex.
  double theorem_steps() const { return averages_ ? static_cast<double>(state_.t) : all_steps_; }

  // Of the step of Proposition 4, where Theorem 3 applies.
  Finding relative_bound(double rho) const {
    const RelativeBound bound = smidas_relative_bound(p_, rho, norm_factor(), k_, theorem_steps(),
                                                      loss_at_zero(loss_.kind()), lambda_);
    return {"expected objective beyond a multiple of the optimum (Proposition 4)", bound.rest,
            fmt::format("on top of {:.6g} P(w*), with |w*|_1 <= P(0)/lambda", bound.share)};
  }

  // |v_j|^(p-1) / |v|_p^(p-2), with the sign of v.
  static double link(double v, double p, double log_norm) {
    if (v == 0) return 0;
    const double log_size = portable::log(std::fabs(v));
    return std::copysign(portable::exp(log_norm + (p - 1) * (log_size - log_norm)), v);
  }

  // By feature, with their places: the norm is added up in their order.
  void archive_active(Archive& a) {
    std::vector<std::pair<std::uint32_t, double>> places;
    for (const std::uint32_t slot : active_) {
      places.emplace_back(slot, static_cast<double>(places.size()));
    }
    a.by_slot(places, theta_.size());
    if (!a.reads()) return;
    ensure_slots(a.slot_end());
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& x, const auto& y) { return x.second < y.second; });
    active_.clear();
    for (const auto& [slot, place] : places) active_.push_back(slot);
  }

  // The same as below, of the magnitudes of all ranks: by slices, in the order of active_ in each.
  double sliced_log_of_norm(const std::vector<double>& magnitudes, double p) const {
    double largest = 0;
    for (const double magnitude : magnitudes) largest = std::max(largest, magnitude);
    largest = norm_sums_->largest(largest);
    const double sum = norm_sums_->sum([&](const auto& add) {
      for (std::size_t i = 0; i < magnitudes.size(); ++i) {
        add(active_[i], portable::exp(p * portable::log(magnitudes[i] / largest)));
      }
    });
    return largest == 0 ? 0 : portable::log(largest) + portable::log(sum) / p;
  }

  // ln |v|_p. Powers of numbers up to 1 can only underflow, and then they do not matter. Powers via
  // logarithms lose digits only for small numbers, so the sum stays accurate.
  double log_of_norm(const std::vector<double>& magnitudes, double p) const {
    if (norm_sums_) return sliced_log_of_norm(magnitudes, p);
    if (magnitudes.empty()) return 0;
    const double largest = *std::max_element(magnitudes.begin(), magnitudes.end());
    double sum = 0;
    CompensatedSum exact;
    for (const double magnitude : magnitudes) {
      const double power = portable::exp(p * portable::log(magnitude / largest));
      compensated() ? exact.add(power) : void(sum += power);
    }
    if (compensated()) sum = exact.value();
    return portable::log(largest) + portable::log(sum) / p;
  }

  void shrink(double amount) {
    std::size_t kept = 0;
    for (const std::uint32_t slot : active_) {
      theta_[slot] = soft_threshold(theta_[slot], amount);
      if (theta_[slot] == 0) {
        set_weight(slot, 0);
      } else {
        active_[kept++] = slot;
      }
    }
    active_.resize(kept);
  }

  void measure() {
    magnitudes_.clear();
    for (const std::uint32_t slot : active_) magnitudes_.push_back(std::fabs(theta_[slot]));
    log_norm_ = log_of_norm(magnitudes_, p_);
  }

  void work_out(std::uint32_t slot) { set_weight(slot, link(theta_[slot], p_, log_norm_)); }

  void do_settle() override {
    for (const std::uint32_t slot : active_) work_out(slot);
  }

  double lambda_;
  double p_;
  double eta_;
  bool knows_dimension_;  // p or eta depends on it
  bool scaled_;           // thresholds by eta lambda, not by lambda
  double k_;              // of Proposition 4
  bool auto_eta_;         // takes its step
  double dimension_;      // 0 while unknown
  double all_steps_;      // T of Theorem 3; 0 unless a random iterate comes out
  bool averages_;         // the mean over all steps comes out
  bool drawn_;            // rows come with replacement
  bool constant_;
  bool two_classes_;
  bool intercept_;
  double largest_value_;                  // |x_ij| of all rows
  bool weighted_rows_;                    // some row's weight is not 1
  std::unique_ptr<SliceSums> norm_sums_;  // with --slices; else null
  bool started_ = false;                  // from a model, not from 0
  ZeroedArray<double> theta_;
  std::vector<std::uint32_t> active_;  // where theta is not 0
  std::vector<double> magnitudes_;     // of those
  double log_norm_ = 0;                // ln |theta|_p
};

}  // namespace

CatalogEntry smidas() {
  CatalogEntry entry =
      entry_for_rows("smidas", "Shalev-Shwartz & Tewari 2009, Algorithm 3",
                     "theta = S(theta - eta g, eta lambda); w = inverse p-norm link of theta",
                     "O(non-zeros of theta)");
  entry.info.needs = "rows, one at a time; the dimension";
  entry.info.measures_values = true;
  entry.info.schedule = Schedule::constant;
  entry.info.auto_eta =
      "2 K / ((1 + K) (p - 1) rho d^(2/p)), Proposition 4 with K = --k; not for hinge";
  entry.info.options = {
      {OptionInfo::Kind::word, "p", "",
       "a number, 2ln or 0.5ln (times d); default: 2 ln d rounded up"},
      {OptionInfo::Kind::word,
       "threshold",
       "scaled",
       "theta shrinks by eta lambda (scaled) or by lambda (plain: eq. 9 of Xie et al.)",
       {"scaled", "plain"}},
      {OptionInfo::Kind::number, "k", "1",
       "K of Proposition 4, for --eta auto: accuracy relative to the optimum"},
      slices_option()};
  entry.info.example = "thresh train DATA --solver smidas --eta 0.01 --lambda 1e-3";
  entry.make = make_solver<Smidas>;
  return entry;
}

}  // namespace thresh
