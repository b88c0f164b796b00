// The penalty of at most K features, made convex (the squared k-support norm):
//
//     N(w) = min over 0 <= s_j <= 1, sum_j s_j <= K of sum_j w_j^2 / s_j,    0/0 = 0.
//
// For w with at most K non-zeros it is |w|^2; for others it is larger. Kept columns have s_j = 1
// and take no part in the sum.
//
// Cost: a few dozen sweeps over the columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thresh {

class SupportNorm {
 public:
  // `kept` has one flag per column, or is empty.
  SupportNorm(std::size_t features, std::vector<char> kept = {})
      : features_(features), kept_(std::move(kept)) {}

  // N(w).
  double value(std::span<const double> w) const;
  // Replaces p by the minimum over w of |w - p|^2 / 2 + (tau / 2) N(w).
  void move(std::span<double> p, double tau) const;
  // The sum of the squares of the K largest, and of the kept ones: N's dual norm.
  double dual(std::span<const double> pulls) const;

  // Around w, while no share reaches 0 or 1, N is the sum of the squares of the whole columns plus
  // the squared sum of the |w_j| of the shared ones, divided by their places.
  struct Pieces {
    std::vector<std::uint32_t> whole, shared;  // s_j = 1 (kept ones, too), and 0 < s_j < 1
    double places = 0;                         // the sum of the shares of the shared ones
  };
  Pieces pieces(std::span<const double> w) const;

 private:
  bool is_kept(std::size_t j) const { return !kept_.empty() && kept_[j] != 0; }
  // The nu for which the shares min(1, max(0, nu |p_j| - tau)) sum to K; infinite if fewer than K
  // columns are not zero.
  double level(std::span<const double> p, double tau) const;

  std::size_t features_;
  std::vector<char> kept_;
};

}  // namespace thresh
