// Learns the weights of a selected support without penalty: FTRL-Proximal with alpha = 3, starting
// from the weights of the selection. The result is the mean of the weights over the last rows, so
// that their order does not matter. Several values of beta share the lookup of a row's places.
//
// Cost: O(non-zeros of the row) per step; four doubles and an integer for each feature of the
// support and each beta, however many features there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/budget/proximal.hpp"
#include "solvers/budget/sparse_weights.hpp"
#include "solvers/budget/support_rows.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class Refit {
 public:
  // A smaller beta gives larger first steps, which matters for features that occur in few rows.
  // `signs`: that weights may have, by feature of `start`: 1, -1, or 0 for any; empty: any.
  // `remembers`: rows are few and repeat.
  Refit(SparseWeights start, Units units, std::vector<double> betas, bool learns_intercept,
        bool compensated = false, bool remembers = false, std::vector<double> signs = {})
      : signs_(std::move(signs)),
        rows_(std::move(start.slots), units.value, remembers),
        units_(units),
        betas_(std::move(betas)),
        learns_intercept_(learns_intercept),
        compensated_(compensated),
        coordinates_(rows_.size() * betas_.size()) {
    // Refits learn side by side: what they write at every row must not share a cache line.
    constexpr std::size_t kApart = 16;
    intercepts_.reserve(betas_.size() + kApart);
    intercepts_.resize(betas_.size());
    slopes_.reserve(betas_.size() + kApart);
    slopes_.resize(betas_.size());
    for (std::size_t b = 0; b < betas_.size(); ++b) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        begin(at(i, b), start.weights[i] / units_.weight(), betas_[b]);
      }
      begin(intercepts_[b], start.intercept / units_.target, betas_[b]);
    }
  }

  std::size_t features() const { return rows_.size(); }

  // Sets the row for the next margins and steps.
  void meet(const Row& row) { met_ = rows_.meet(row); }

  // With the weights of beta number b.
  double margin(std::size_t b) const {
    const double sum =
        sum_over(met_, compensated_, [&](std::uint32_t place) { return at(place, b).weight; });
    return (sum + intercepts_[b].weight) * units_.target;
  }

  // slope_at(b) is the slope of the loss at the margin of beta number b, times the row's weight.
  // Changes nothing and returns false if one is not finite.
  template <class SlopeAt>
  bool learn(const SlopeAt& slope_at) {
    for (std::size_t b = 0; b < betas_.size(); ++b) {
      slopes_[b] = slope_at(b);
      if (!std::isfinite(slopes_[b])) return false;
    }
    for (std::size_t b = 0; b < slopes_.size(); ++b) {
      if (slopes_[b] == 0) continue;
      const double scaled = slopes_[b] / units_.slope();
      for (std::size_t i = 0; i < met_.size(); i += ProximalStretch::kMost) {
        step(met_.subspan(i, std::min(ProximalStretch::kMost, met_.size() - i)), b, scaled);
      }
      if (learns_intercept_) step_intercept(b, scaled);
    }
    ++t_;
    return true;
  }

  // Starts the averaging.
  void begin_mean() { mean_from_ = t_; }

  SparseWeights weights(std::size_t b) const {
    SparseWeights result{rows_.slots(), {}, mean(intercepts_[b]) * units_.target};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      result.weights.push_back(mean(at(i, b)) * units_.weight());
    }
    return result;
  }

  // For the same features and betas. The rows that it remembers are found again.
  void archive(Archive& a) {
    a.in_place(coordinates_, intercepts_);
    a(t_, mean_from_);
  }
  const std::vector<std::uint32_t>& slots() const { return rows_.slots(); }

 private:
  static constexpr double kAlpha = 3;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Coordinate {
    ProximalSums sums;
    double weight = 0;
    double sum = 0;           // of the weight since averaging began
    std::uint64_t until = 0;  // the last step included in sum

    void archive(Archive& a) { a(sums, weight, sum, until); }
  };

  // The betas of a place are contiguous, because every row needs all of them.
  Coordinate& at(std::size_t place, std::size_t b) {
    return coordinates_[place * betas_.size() + b];
  }
  const Coordinate& at(std::size_t place, std::size_t b) const {
    return coordinates_[place * betas_.size() + b];
  }

  static void begin(Coordinate& c, double weight, double beta) {
    c.weight = weight;
    c.sums.z = -weight * beta / kAlpha;
  }

  void settle(Coordinate& c) const {
    if (t_ <= mean_from_ || mean_from_ == kNever) return;
    const std::uint64_t since = c.until > mean_from_ ? c.until : mean_from_;
    c.sum += c.weight * static_cast<double>(t_ - since);
    c.until = t_;
  }

  void step(std::span<const Met> met, std::size_t b, double slope) {
    for (std::size_t i = 0; i < met.size(); ++i) {
      Coordinate& c = at(met[i].place, b);
      settle(c);
      stretch_.z[i] = c.sums.z;
      stretch_.root[i] = c.sums.root;
      stretch_.weight[i] = c.weight;
      stretch_.value[i] = met[i].value;
    }
    stretch_.take(met.size(), {slope, kAlpha, betas_[b]});
    for (std::size_t i = 0; i < met.size(); ++i) {
      Coordinate& c = at(met[i].place, b);
      c.sums = {stretch_.z[i], stretch_.root[i]};
      c.weight = stretch_.weight[i];
      if (!signs_.empty() && signs_[met[i].place] * c.weight < 0) c.weight = 0;
    }
  }

  void step_intercept(std::size_t b, double slope) {
    Coordinate& c = intercepts_[b];
    settle(c);
    c.sums.follow(slope, c.weight, kAlpha);
    c.weight = c.sums.weight(kAlpha, betas_[b]);
  }

  double mean(Coordinate c) const {
    if (t_ <= mean_from_ || mean_from_ == kNever) return c.weight;
    settle(c);
    return c.sum / static_cast<double>(t_ - mean_from_);
  }

  std::vector<double> signs_;
  SupportRows rows_;
  Units units_;
  std::vector<double> betas_;
  bool learns_intercept_;
  bool compensated_;
  std::vector<Coordinate> coordinates_;
  std::vector<Coordinate> intercepts_;
  std::vector<double> slopes_;  // of the current row
  std::span<const Met> met_;    // the support in the current row
  ProximalStretch stretch_;
  std::uint64_t t_ = 0;
  std::uint64_t mean_from_ = kNever;
};

}  // namespace thresh
