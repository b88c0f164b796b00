// Selection while features are many: FTRL-Proximal with alpha = beta = 1 (McMahan et al. 2013,
// Algorithm 1), whose weights are w_j = -S(z_j, lambda) / (1 + sqrt(n_j)): the |z_j| are the scores
// that lambda cuts through.
//
// Cost: O(non-zeros of the row) per step, O(features seen) per cut; two doubles a feature beside
// its weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "solvers/budget/refit.hpp"
#include "solvers/solver.hpp"
#include "sparse/kernels.hpp"

namespace thresh {

class ThresholdPath {
 public:
  // `kept`: slots that are not thresholded, ascending.
  ThresholdPath(Units units, bool learns_intercept, std::vector<std::uint32_t> kept)
      : units_(units), learns_intercept_(learns_intercept), kept_(std::move(kept)) {}

  // The weights of a model to start from are in the state.
  void begin(const LinearState& state) {
    for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
      if (state.weights[slot] != 0) z_[slot] = -state.weights[slot] / units_.weight();
    }
    intercept_.z = -state.intercept / units_.target;
  }

  void ensure_slots(std::size_t n) {
    z_.ensure(n);
    root_.ensure(n);
  }

  // One step; `slope` includes the row's weight.
  void follow(const Row& row, double slope, LinearState& state) {
    const double scaled = slope / units_.target;
    const double inverse = 1 / units_.weight();
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t slot = row.slots[i];
      ProximalSums sums{z_[slot], root_[slot]};
      sums.follow(scaled * row.values[i] * units_.value, state.weights[slot] * inverse, 1);
      z_[slot] = sums.z;
      root_[slot] = sums.root;
      work_out(slot, state);
    }
    if (!learns_intercept_) return;
    intercept_.follow(scaled, state.intercept / units_.target, 1);
    state.intercept = intercept_.weight(1, 1) * units_.target;
  }

  // The |z_j| of the features that may be dropped.
  std::vector<double> scores() const {
    std::vector<double> magnitudes;
    for (std::size_t slot = 0; slot < z_.size(); ++slot) {
      const double z = z_[slot];
      if (z != 0 && !is_kept(static_cast<std::uint32_t>(slot))) magnitudes.push_back(std::fabs(z));
    }
    return magnitudes;
  }

  // From now on only features whose scores exceed lambda have weights.
  void cut_at(double lambda, LinearState& state) {
    lambda_ = lambda;
    for (std::size_t slot = 0; slot < z_.size(); ++slot) {
      if (std::as_const(z_)[slot] != 0) work_out(static_cast<std::uint32_t>(slot), state);
    }
  }

  bool is_kept(std::uint32_t slot) const {
    return !kept_.empty() && std::binary_search(kept_.begin(), kept_.end(), slot);
  }
  const std::vector<std::uint32_t>& kept() const { return kept_; }

  // Gives the memory back.
  void forget_sums() {
    z_ = ZeroedArray<double>();
    root_ = ZeroedArray<double>();
  }

 private:
  void work_out(std::uint32_t slot, LinearState& state) const {
    const double lambda = is_kept(slot) ? 0 : lambda_;
    const ProximalSums sums{soft_threshold(z_[slot], lambda), root_[slot]};
    state.set(slot, sums.weight(1, 1) * units_.weight());
  }

  Units units_;
  bool learns_intercept_;
  std::vector<std::uint32_t> kept_;
  double lambda_ = 0;
  ZeroedArray<double> z_, root_;
  ProximalSums intercept_;
};

}  // namespace thresh
