// Selection while there are many features: FTRL-Proximal with alpha = beta = 1 (McMahan et al.
// 2013, Algorithm 1). Its weights are w_j = -S(z_j, lambda) / (1 + sqrt(n_j)), so lambda is a cut
// on the scores |z_j|.
//
// Cost: O(non-zeros of the row) per step, O(features seen) per cut; four doubles per feature.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/budget/proximal.hpp"
#include "solvers/budget/required_features.hpp"
#include "solvers/signs.hpp"
#include "solvers/solver.hpp"
#include "sparse/row_loops.hpp"

namespace thresh {

class ThresholdPath {
 public:
  // `required` are not thresholded. It must outlive this object.
  ThresholdPath(Units units, bool learns_intercept, const RequiredFeatures& required,
                Signs signs = {})
      : units_(units),
        learns_intercept_(learns_intercept),
        required_(required),
        signs_(std::move(signs)) {}

  // Per feature: its weight, z, the root of n, and one unused.
  static constexpr std::size_t kNumbers = 4;

  // The state already has the weights of the model to start from.
  void begin(LinearState& state) {
    state.for_each_weight([&](std::uint32_t slot, double weight) {
      state.weights.at(slot)[1] = -weight / units_.weight();
    });
    intercept_.z = -state.intercept / units_.target;
  }

  // The row after the next step, to prefetch its numbers; null if there is none.
  void expect(const Row* next) { ahead_.begin(next); }

  // One step; `slope` includes the row's weight.
  void follow(const Row& row, double slope, LinearState& state) {
    const double scaled = slope / units_.slope();
    for (std::size_t i = 0; i < row.size; i += ProximalStretch::kMost) {
      const std::size_t n = std::min(ProximalStretch::kMost, row.size - i);
      step(row.slots + i, row.values + i, n, scaled, state);
    }
    if (!learns_intercept_) return;
    intercept_.follow(scaled, state.intercept / units_.target, 1);
    state.intercept = intercept_.weight(1, 1) * units_.target;
  }

  // The |z_j| of the features that may be dropped.
  std::vector<double> scores(const LinearState& state) const {
    std::vector<double> magnitudes;
    for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
      const double z = state.weights.at(slot)[1];
      const auto at = static_cast<std::uint32_t>(slot);
      if (z != 0 && !required_.has(at) && signs_.apply(at, -z) != 0)
        magnitudes.push_back(std::fabs(z));
    }
    return magnitudes;
  }

  // From now on only features with scores above lambda have weights.
  void cut_at(double lambda, LinearState& state) {
    lambda_ = lambda;
    for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
      if (std::as_const(state.weights).at(slot)[1] != 0) {
        work_out(static_cast<std::uint32_t>(slot), state);
      }
    }
  }

  // From now on only these features have weights, by slot, and the required ones.
  void allow_only(std::vector<char> allowed, LinearState& state) {
    allowed_ = std::move(allowed);
    cut_at(std::numeric_limits<double>::infinity(), state);
  }

  void archive(Archive& a) { a(lambda_, intercept_, allowed_); }

 private:
  void step(const std::uint32_t* slots, const double* values, std::size_t n, double slope,
            LinearState& state) {
    ahead_.fetch(state.weights, n);
    double* const numbers = state.weights.at(0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* const at = numbers + slots[i] * kNumbers;
      stretch_.weight[i] = at[0];
      stretch_.z[i] = at[1];
      stretch_.root[i] = at[2];
      stretch_.value[i] = values[i];
    }
    const ProximalStep step{slope * units_.value, 1, 1, lambda_, units_.weight()};
    state.nonzeros += static_cast<std::uint64_t>(stretch_.take(n, step));
    for (std::size_t i = 0; i < n; ++i) {
      double* const at = numbers + slots[i] * kNumbers;
      at[0] = stretch_.weight[i];
      at[1] = stretch_.z[i];
      at[2] = stretch_.root[i];
    }
    const bool special = !required_.slots().empty() || signs_.restrict() || !allowed_.empty();
    for (std::size_t i = 0; i < n && special; ++i) work_out(slots[i], state);
  }

  void work_out(std::uint32_t slot, LinearState& state) const {
    const bool is_allowed = slot < allowed_.size() && allowed_[slot] != 0;
    const double lambda = is_allowed || required_.has(slot) ? 0 : lambda_;
    const double* const at = std::as_const(state.weights).at(slot);
    const ProximalSums sums{soft_threshold(at[1], lambda), at[2]};
    state.set(slot, signs_.apply(slot, sums.weight(1, 1) * units_.weight()));
  }

  Units units_;
  bool learns_intercept_;
  const RequiredFeatures& required_;
  Signs signs_;
  std::vector<char> allowed_;  // see allow_only(); empty: by lambda
  double lambda_ = 0;
  ProximalSums intercept_;
  Ahead ahead_;
  ProximalStretch stretch_;
};

}  // namespace thresh
