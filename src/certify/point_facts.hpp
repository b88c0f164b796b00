// What dual points say about every feature: streamed, in long double, with room for rounding.
//
// A dual point is a linear model; the slopes v of the loss at it are the v of the theorem in
// subset_bound.hpp. They are shifted (squared loss) or those of the heavier class are scaled by
// some k <= 1, so that they sum to zero; then -L*(k v) >= -k L*(v) for losses whose L*(0) is 0, so
// one pass is enough, for any number of points at once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "certify/real_loss.hpp"
#include "certify/subset_bound.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

inline constexpr Real kRealUnit = std::numeric_limits<Real>::epsilon();

// What no dual point changes: the rows and the size of each feature.
class FeatureFacts {
 public:
  explicit FeatureFacts(const SubsetProblem& problem) : problem_(problem) {}

  void ensure(std::size_t slots) { columns_.ensure(slots); }
  void add(const Row& row, double y);
  void finish();  // after the last row

  struct Size {
    Real value, lost;  // s_j and its relative error
  };
  Size size_of(std::uint32_t slot) const;
  Real squares(std::uint32_t slot) const {
    return slot < columns_.size() ? columns_[slot].squares : 0;
  }
  Real values(std::uint32_t slot) const { return columns_[slot].values; }
  bool occurs(std::uint32_t slot) const { return squares(slot) != 0; }
  // The features that occur, ascending.
  const std::vector<std::uint32_t>& slots() const { return slots_; }
  std::size_t slot_end() const { return columns_.size(); }
  Real weight() const { return weight_.value(); }
  Real targets() const { return targets_.value(); }
  Real target_squares() const { return target_squares_.value(); }
  // The relative rounding error of a sum over all rows, with room for its terms.
  Real rounding() const { return (static_cast<Real>(count_) + 32) * kRealUnit; }
  const SubsetProblem& problem() const { return problem_; }

 private:
  struct Column {
    Real squares, values;  // sums of c x^2 and c x
  };
  Real centre_of(std::uint32_t slot) const;

  const SubsetProblem& problem_;
  std::uint64_t count_ = 0;  // rows
  ExactSum weight_, targets_, target_squares_;
  ZeroedArray<Column> columns_;
  std::vector<std::uint32_t> slots_;
};

// t_j, with bounds for its rounding error.
struct FeatureGain {
  Real least, most;
};

struct PointFacts {
  Real conjugate = 0;              // -sum_i c_i L*(v_i), rounded down
  std::vector<FeatureGain> gains;  // of the features that occur, in their order
};

// Sums over rows, for several points at once.
class PointSums {
 public:
  PointSums(const FeatureFacts& features, std::span<const SlotPoint* const> points);

  void ensure(std::size_t slots) { pulls_.ensure(slots * kParts * size_); }
  void add(const Row& row, double y);
  PointFacts facts(std::size_t point) const;

  static constexpr std::size_t kParts = 2;

 private:
  struct Sums {
    // By class, or the first for squared loss.
    ExactSum slopes[kParts], conjugates[kParts];
    ExactSum slope_squares, conjugate_terms;
  };
  struct Balance {
    Real keep[kParts] = {1, 1};
    Real shift = 0;
  };
  bool squared() const { return features_.problem().loss == Loss::squared; }
  Balance balance_of(const Sums& sums) const;

  const FeatureFacts& features_;
  RealLoss loss_;
  std::size_t size_;  // the number of points
  // The weights of all points, by slot: those of slot j begin at starts_[j].
  std::vector<std::size_t> starts_;
  std::vector<std::pair<std::uint32_t, double>> weights_;  // point, weight
  std::vector<double> intercepts_;
  std::vector<Sums> sums_;
  ZeroedArray<Real> pulls_;  // sums of c v x, by slot, part and point
  std::vector<Real> slopes_;
};

}  // namespace thresh
