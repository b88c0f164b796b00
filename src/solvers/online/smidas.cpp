// smidas: Shalev-Shwartz & Tewari, "Stochastic Methods for l1-regularized Loss Minimization",
// Algorithm 3 (Stochastic MIrror Descent Algorithm mAde Sparse).
//
// Minimises mean L(a, y) + lambda |w|_1. A dual vector theta learns, the weights are its image
// under the inverse p-norm link (eq. 12):
//
//     theta <- S(theta - eta g, eta lambda)
//     w_j = sign(theta_j) |theta_j|^(p-1) / |theta|_p^(p-2)
//
// Departures: p is 2 ln(d) rounded up unless --p says otherwise. Powers are taken in logarithms, so
// that no p and no theta overflow; a weight too small for a double is 0 and not counted.
//
// Cost: O(non-zeros of theta) per step, since all of them shrink and all of them make up the norm;
// two doubles per feature.

#include <algorithm>

#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

double choose_p(const SolverSetup& setup) {
  const std::string text = setup.word("p");
  const bool from_d = text.empty() || text == "2ln" || text == "0.5ln";
  if (!from_d) return setup.number("p");
  if (setup.dimension == 0) {
    throw UsageError("smidas must know the dimension: give --dim, --p, or rows from a file");
  }
  const double log_d = std::log(static_cast<double>(setup.dimension));
  if (text.empty()) return std::max(2.0, std::ceil(2 * log_d));
  return text == "2ln" ? 2 * log_d : 0.5 * log_d;
}

class Smidas : public GradientSolver<Smidas> {
 public:
  explicit Smidas(const SolverSetup& setup)
      : GradientSolver(setup), lambda_(setup.options.lambda), p_(choose_p(setup)) {
    if (!(p_ >= 2)) throw UsageError("--p must be at least 2, and is " + std::to_string(p_));
  }

  // The dual vector of a model to start from: the link itself, with q = p/(p-1) in place of p.
  void begin() override {
    const double q = p_ / (p_ - 1);
    std::vector<double> magnitudes;
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      if (std::as_const(state_.weights)[slot] == 0) continue;
      active_.push_back(static_cast<std::uint32_t>(slot));
      magnitudes.push_back(std::fabs(state_.weights[slot]));
    }
    const double log_norm = log_of_norm(magnitudes, q);
    for (const std::uint32_t slot : active_) theta_[slot] = link(state_.weights[slot], q, log_norm);
    measure();
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    theta_.ensure(n);
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
    shrink(eta * lambda_);
    measure();
  }

  double penalty() const override { return lambda_ * l1_norm(); }

 private:
  // |v_j|^(p-1) / |v|_p^(p-2), with its sign.
  static double link(double v, double p, double log_norm) {
    if (v == 0) return 0;
    return std::copysign(std::exp(log_norm + (p - 1) * (std::log(std::fabs(v)) - log_norm)), v);
  }

  // ln |v|_p. Powers of numbers up to 1 can only underflow, and then they do not matter.
  static double log_of_norm(const std::vector<double>& magnitudes, double p) {
    if (magnitudes.empty()) return 0;
    const double largest = *std::max_element(magnitudes.begin(), magnitudes.end());
    double sum = 0;
    for (const double magnitude : magnitudes) sum += std::pow(magnitude / largest, p);
    return std::log(largest) + std::log(sum) / p;
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
  ZeroedArray<double> theta_;
  std::vector<std::uint32_t> active_;  // where theta is not 0
  std::vector<double> magnitudes_;     // of those
  double log_norm_ = 0;                // ln |theta|_p
};

}  // namespace

CatalogEntry smidas() {
  CatalogEntry entry;
  entry.info.name = "smidas";
  entry.info.paper = "Shalev-Shwartz & Tewari 2009, Algorithm 3";
  entry.info.objective = "mean L(a, y) + lambda |w|_1";
  entry.info.update = "theta = S(theta - eta g, eta lambda); w = inverse p-norm link of theta";
  entry.info.cost = "O(non-zeros of theta)";
  entry.info.needs = "rows, one at a time; the dimension";
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.schedule = Schedule::constant;
  entry.info.options = {{OptionInfo::Kind::word,
                         "p",
                         "",
                         "a number, 2ln or 0.5ln (times d); default: 2 ln d rounded up",
                         {}}};
  entry.info.example = "thresh train DATA --solver smidas --eta 0.01 --lambda 1e-3";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    return std::make_unique<Smidas>(setup);
  };
  return entry;
}

}  // namespace thresh
