// Selection while there are many features: FTRL-Proximal with alpha = beta = 1 (McMahan et al.
// 2013, Algorithm 1). Its weights are w_j = -S(z_j, lambda) / (1 + sqrt(n_j)), so lambda is a cut
// on the scores |z_j|.
//
// Cost: O(non-zeros of the row) per step, O(features seen) per cut; two doubles per feature, z and
// the root of n, besides its weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "solvers/budget/proximal.hpp"
#include "solvers/budget/required_features.hpp"
#include "solvers/solver.hpp"
#include "sparse/row_loops.hpp"

namespace thresh {

class ThresholdPath {
 public:
  // `required` are not thresholded. It must outlive this object.
  ThresholdPath(Units units, bool learns_intercept, const RequiredFeatures& required)
      : units_(units), learns_intercept_(learns_intercept), required_(required) {}

  // The state already has the weights of the model to start from.
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
    for (std::size_t i = 0; i < row.size; i += ProximalStretch::kMost) {
      const std::size_t n = std::min(ProximalStretch::kMost, row.size - i);
      step(row.slots + i, row.values + i, n, scaled, state);
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
      if (z != 0 && !required_.has(static_cast<std::uint32_t>(slot)))
        magnitudes.push_back(std::fabs(z));
    }
    return magnitudes;
  }

  // From now on only features with scores above lambda have weights.
  void cut_at(double lambda, LinearState& state) {
    lambda_ = lambda;
    for (std::size_t slot = 0; slot < z_.size(); ++slot) {
      if (std::as_const(z_)[slot] != 0) work_out(static_cast<std::uint32_t>(slot), state);
    }
  }

  // Frees the memory of the sums.
  void forget_sums() {
    z_ = ZeroedArray<double>();
    root_ = ZeroedArray<double>();
  }

 private:
  void step(const std::uint32_t* slots, const double* values, std::size_t n, double slope,
            LinearState& state) {
    const ProximalStep step{slope * units_.value, 1, 1, lambda_, units_.weight()};
    if (are_in_a_row(slots, n)) {  // as in dense data
      state.nonzeros += static_cast<std::uint64_t>(
          take_steps(n, &z_[*slots], &root_[*slots], &state.weights[*slots], values, step));
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        stretch_.z[i] = z_[slots[i]];
        stretch_.root[i] = root_[slots[i]];
        stretch_.weight[i] = state.weights[slots[i]];
        stretch_.value[i] = values[i];
      }
      state.nonzeros += static_cast<std::uint64_t>(stretch_.take(n, step));
      for (std::size_t i = 0; i < n; ++i) {
        z_[slots[i]] = stretch_.z[i];
        root_[slots[i]] = stretch_.root[i];
        state.weights[slots[i]] = stretch_.weight[i];
      }
    }
    for (std::size_t i = 0; i < n && !required_.slots().empty(); ++i) work_out(slots[i], state);
  }

  static bool are_in_a_row(const std::uint32_t* slots, std::size_t n) {
    std::uint32_t off = 0;
    for (std::uint32_t i = 0; i < n; ++i) off |= slots[i] ^ (slots[0] + i);
    return off == 0;
  }

  void work_out(std::uint32_t slot, LinearState& state) const {
    const double lambda = required_.has(slot) ? 0 : lambda_;
    const ProximalSums sums{soft_threshold(z_[slot], lambda), root_[slot]};
    state.set(slot, sums.weight(1, 1) * units_.weight());
  }

  Units units_;
  bool learns_intercept_;
  const RequiredFeatures& required_;
  double lambda_ = 0;
  ZeroedArray<double> z_, root_;
  ProximalSums intercept_;
  ProximalStretch stretch_;
};

}  // namespace thresh
