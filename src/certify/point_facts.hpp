// What a dual point says about every feature: streamed, in long double, with room for rounding.
//
// A dual point is a linear model; the slopes v of the loss at it are the v of the theorem in
// subset_bound.hpp. They are shifted (squared loss) or those of the heavier class are scaled by
// some k <= 1, so that they sum to zero; then -L*(k v) >= -k L*(v) for losses whose L*(0) is 0, so
// one pass is enough, for any number of points at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
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
  // What turns the pull on a feature into its t_j.
  struct Scale {
    Real unit;    // of its square
    Real lost;    // the relative error of the unit
    Real pulled;  // the error of the pull, per size of all slopes
  };
  Scale scale_of(std::uint32_t slot) const;
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
  std::vector<FeatureGain> gains;  // of the features that occur, or of some, in their order
};

// The slopes of all rows at one dual point. Those of each class are a part, because they are scaled
// alike; squared loss has one part.
class SlopeSums {
 public:
  static constexpr std::size_t kParts = 2;

  explicit SlopeSums(Loss loss) : loss_{loss} {}

  std::size_t part_of(double y) const { return !squared() && y > 0 ? 1 : 0; }
  // Adds a row of weight c with this margin. Returns c v.
  Real add(Real margin, double y, Real c);
  // Once all rows are added: the facts about these features, of which pull(k, part) is the sum of
  // c v x over the rows of the part, and scale(k) the scale.
  template <class ScaleOf, class PullOf>
  PointFacts facts(const FeatureFacts& features, std::span<const std::uint32_t> slots,
                   const ScaleOf& scale, const PullOf& pull) const {
    const Balance balance = balance_of(features);
    PointFacts found;
    found.conjugate = conjugate_of(features, balance);
    found.gains.reserve(slots.size());
    const Real all = size_of_all(features, balance);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const Real sum = squared() ? pull(k, 0) - balance.shift * features.values(slots[k])
                                 : balance.keep[0] * pull(k, 0) + balance.keep[1] * pull(k, 1);
      found.gains.push_back(gain_of(scale(k), sum, all));
    }
    return found;
  }

 private:
  // Makes the slopes sum to zero: sum of c (v - shift), or of keep v.
  struct Balance {
    Real keep[kParts] = {1, 1};
    Real shift = 0;
  };
  bool squared() const { return loss_.kind == Loss::squared; }
  Balance balance_of(const FeatureFacts& features) const;
  Real conjugate_of(const FeatureFacts& features, const Balance& balance) const;
  Real size_of_all(const FeatureFacts& features, const Balance& balance) const;
  static FeatureGain gain_of(const FeatureFacts::Scale& scale, Real pull, Real all_slopes);

  RealLoss loss_;
  ExactSum slopes_[kParts], conjugates_[kParts];
  ExactSum slope_squares_, conjugate_terms_;
};

// The sums of one point over rows that come one by one.
class PointSums {
 public:
  PointSums(const FeatureFacts& features, const SlotPoint& point);

  void ensure(std::size_t slots) { pulls_.ensure(slots * SlopeSums::kParts); }
  void add(const Row& row, double y);
  PointFacts facts() const;

 private:
  const FeatureFacts& features_;
  double intercept_;
  std::vector<double> weights_;  // by slot
  SlopeSums sums_;
  ZeroedArray<Real> pulls_;  // sums of c v x, by slot and part
};

}  // namespace thresh
