// The weights of a chosen support, learned without any penalty: FTRL-Proximal with alpha = 3 from
// the weights that the selection left, and in the end the mean of the weights over the last rows,
// so that the order of those does not matter.
//
// Cost: O(non-zeros of the row) per step; five doubles and an integer for each feature of the
// support, whatever the number of features there are.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/budget/sparse_weights.hpp"
#include "solvers/budget/support.hpp"
#include "sparse/compensated_dot.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// What values and targets are measured in, so that neither's scale matters.
struct Units {
  double value = 1;                                 // a value is multiplied by this,
  double target = 1;                                // a target of regression divided by that
  double weight() const { return value * target; }  // and a weight multiplied by both
};

// The sums of one coordinate of FTRL-Proximal (McMahan et al. 2013, Algorithm 1).
struct ProximalSums {
  double z = 0;
  double n = 0;

  // The weight is -z over this, if nothing is thresholded.
  double rate(double alpha, double beta) const { return (beta + std::sqrt(n)) / alpha; }
  void follow(double gradient, double weight, double alpha) {
    const double more = n + gradient * gradient;
    z += gradient - (std::sqrt(more) - std::sqrt(n)) / alpha * weight;
    n = more;
  }
};

class Refit {
 public:
  // The smaller beta, the larger the first steps of a feature, which matters for those that occur
  // in few rows.
  Refit(SparseWeights start, Units units, double beta, bool learns_intercept,
        bool compensated = false)
      : support_(std::move(start.slots)),
        units_(units),
        beta_(beta),
        learns_intercept_(learns_intercept),
        compensated_(compensated),
        coordinates_(support_.size()) {
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      begin(coordinates_[i], start.weights[i] / units_.weight());
    }
    begin(intercept_, start.intercept / units_.target);
  }

  std::size_t features() const { return support_.size(); }

  double margin(const Row& row) {
    met_.clear();
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t place = support_.place(row.slots[i]);
      if (place == Support::kNone) continue;
      met_.push_back({place, row.values[i] * units_.value});
      sum += coordinates_[place].weight * met_.back().value;
    }
    if (compensated_) sum = sum_again();
    return (sum + intercept_.weight) * units_.target;
  }

  // From the row that margin() was asked for last; `slope` includes its weight.
  void learn(double slope) {
    if (slope != 0) {
      const double scaled = slope / units_.target;
      for (const Met& met : met_) step(coordinates_[met.place], scaled * met.value);
      if (learns_intercept_) step(intercept_, scaled);
    }
    ++t_;
  }

  // From here on the mean is taken.
  void begin_mean() { mean_from_ = t_; }

  SparseWeights weights() {
    SparseWeights result{support_.slots(), {}, mean(intercept_) * units_.target};
    for (Coordinate& c : coordinates_) result.weights.push_back(mean(c) * units_.weight());
    return result;
  }

 private:
  static constexpr double kAlpha = 3;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Coordinate {
    ProximalSums sums;
    double weight = 0;
    double sum = 0;           // of the weight over the steps that the mean is taken of,
    std::uint64_t until = 0;  // up to this one
  };
  struct Met {
    std::uint32_t place;
    double value;
  };

  // The sum of margin(), with twice the digits.
  double sum_again() const {
    CompensatedDot sum;
    for (const Met& met : met_) sum.add(coordinates_[met.place].weight, met.value);
    return sum.value();
  }

  void begin(Coordinate& c, double weight) const {
    c.weight = weight;
    c.sums.z = -weight * c.sums.rate(kAlpha, beta_);
  }

  void settle(Coordinate& c) const {
    if (t_ <= mean_from_ || mean_from_ == kNever) return;
    const std::uint64_t since = c.until > mean_from_ ? c.until : mean_from_;
    c.sum += c.weight * static_cast<double>(t_ - since);
    c.until = t_;
  }

  void step(Coordinate& c, double gradient) {
    settle(c);
    c.sums.follow(gradient, c.weight, kAlpha);
    c.weight = -c.sums.z / c.sums.rate(kAlpha, beta_);
  }

  double mean(Coordinate c) const {
    if (t_ <= mean_from_ || mean_from_ == kNever) return c.weight;
    settle(c);
    return c.sum / static_cast<double>(t_ - mean_from_);
  }

  Support support_;
  Units units_;
  double beta_;
  bool learns_intercept_;
  bool compensated_;
  std::vector<Coordinate> coordinates_;
  Coordinate intercept_;
  std::vector<Met> met_;  // of the support, in the row
  std::uint64_t t_ = 0;
  std::uint64_t mean_from_ = kNever;
};

}  // namespace thresh
