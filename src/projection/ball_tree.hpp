// The values of a vector in a ball, in order, for steps that change few of them: Duchi et al. 2008,
// section 6 and figure 3. It is the plain twin of BallBuckets; use BallBuckets.
//
// Stores raw magnitudes. A projection lowers all of them by the same amount, so only the cumulative
// shift changes, and
//
//     magnitude = raw - shift        for raw > shift, else 0 and not stored.
//
// A red-black tree stores the size and sum of each subtree. A walk from the root to a leaf finds
// the smallest value above the new shift.
//
// For a weighted ball, sum a_j |w_j| <= z, the values are |w_j| / a_j. They fall by the same shift,
// and each counts a_j^2 times in sizes and sums.
//
// Departures:
// - Equation 11 is printed with its inequality reversed; figure 3 is right.
// - The figure's theta is taken over raw values, so it is the new shift, not an increment.
// - Zeros are erased one by one, not split off. Each costs O(log n), paid for by its insertion.
// - Sums have twice a double's digits. Where they would cancel, the values are summed exactly,
//   unless they have weights.
//
// Cost: O(log n) for a change, O(log n) for a projection and each zero it makes; 80 bytes a value,
// 96 with weights.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>
#include <limits>
#include <type_traits>

#include "projection/double_double.hpp"
#include "projection/exact_sum.hpp"
#include "thresh/error.hpp"

namespace thresh {

// A stored value. Serial numbers distinguish equal ones. (clang-tidy 14 sees a 0 in the default
// comparison.)
// NOLINTBEGIN(modernize-use-nullptr)
struct PlainValue {
  double raw;
  std::uint64_t serial;
  auto operator<=>(const PlainValue&) const = default;
};
struct WeightedValue {
  double raw;
  double weight;
  std::uint64_t serial;
  auto operator<=>(const WeightedValue&) const = default;
};
// NOLINTEND(modernize-use-nullptr)

template <class Key>
class BallTreeOf {
  static constexpr bool kWeighted = std::is_same_v<Key, WeightedValue>;

 public:
  // A value at or below the shift counts as zero: it is not stored and cannot be erased.
  void insert(double raw, double weight = 1) {
    if (!std::isfinite(raw)) throw Error("a magnitude in a ball is not finite");
    if (raw > shift_) tree_.insert(key(raw, weight, ++serial_));
  }

  void erase(double raw, double weight = 1) {
    if (!(raw > shift_)) return;
    const auto found = tree_.lower_bound(key(raw, weight, 0));
    if (found == tree_.end() || *found > key(raw, weight, kLastSerial)) {
      throw Error("a magnitude is not in the ball");
    }
    tree_.erase(found);
  }

  double shift() const { return shift_; }
  std::size_t size() const { return tree_.size(); }
  // The mean square of the weights; 1 if there are none.
  double mean_square() const {
    if (tree_.empty()) return 1;
    return tree_.node_begin().get_metadata().counted() / static_cast<double>(tree_.size());
  }

  // Raises the shift until the magnitudes sum to at most the radius, and drops the zeros.
  double project(double radius) {
    if (!std::isfinite(radius) || radius < 0) {
      throw Error("the radius of a projection must be finite and not negative");
    }
    if (tree_.empty()) return shift_;
    const double theta = radius == 0 ? tree_.rbegin()->raw : search(radius);
    if (theta > shift_) shift_ = theta;
    while (!tree_.empty() && tree_.begin()->raw <= shift_) tree_.erase(tree_.begin());
    return shift_;
  }

  // Removes all values and the shift, to start rebasing.
  void clear() {
    tree_.clear();
    shift_ = 0;
  }

 private:
  static constexpr std::uint64_t kLastSerial = std::numeric_limits<std::uint64_t>::max();

  static Key key(double raw, double weight, std::uint64_t serial) {
    if constexpr (kWeighted) {
      return {raw, weight, serial};
    } else {
      return {raw, serial};
    }
  }

  struct Total {
    std::conditional_t<kWeighted, DoubleDouble, std::size_t> count = {};
    DoubleDouble sum;

    double counted() const {
      if constexpr (kWeighted) {
        return count.high;
      } else {
        return static_cast<double>(count);
      }
    }

    void add(const Total& other) {
      if constexpr (kWeighted) {
        count.add(other.count);
      } else {
        count += other.count;
      }
      sum.add(other.sum);
    }
    void add(const Key& added) {
      if constexpr (kWeighted) {
        const DoubleDouble square = product(added.weight, added.weight);
        DoubleDouble times = product(square.high, added.raw);
        times.low += square.low * added.raw;
        count.add(square);
        sum.add(times);
      } else {
        ++count;
        sum.add(added.raw);
      }
    }
    // The sum minus the radius after everything is lowered to the value.
    double excess(double value, double radius) const {
      DoubleDouble left = sum;
      left.subtract(radius);
      const DoubleDouble lowered = product(value, counted());
      left.subtract(lowered.high);
      left.low -= lowered.low;
      if constexpr (kWeighted) left.low -= value * count.low;
      return left.normalised().high;
    }
  };

  template <class ConstNode, class Node, class Compare, class Allocator>
  class Totals {
   public:
    using metadata_type = Total;
    virtual ~Totals() = default;

   protected:
    void operator()(Node node, ConstNode end) const {
      Total total;
      total.add(**node);
      for (const Node child : {node.get_l_child(), node.get_r_child()}) {
        if (child != end) total.add(child.get_metadata());
      }
      const_cast<Total&>(node.get_metadata()) = total;
    }
  };

  using Tree =
      __gnu_pbds::tree<Key, __gnu_pbds::null_type, std::less<Key>, __gnu_pbds::rb_tree_tag, Totals>;

  double search(double radius) const {
    const Total all = tree_.node_begin().get_metadata();
    DoubleDouble over = all.sum;
    over.subtract(radius);
    if (kWeighted && !std::isfinite(over.low)) throw Error("the sums over a ball overflow");
    if (!kWeighted && (!(std::fabs(over.normalised().high) > 0x1p-40 * (all.sum.high + radius)) ||
                       !std::isfinite(over.low))) {
      return search_exactly(radius);
    }
    Total above;
    Total support;
    for (auto node = tree_.node_begin(); node != tree_.node_end();) {
      const double value = (*node)->raw;
      Total from_here = above;
      if (node.get_r_child() != tree_.node_end()) from_here.add(node.get_r_child().get_metadata());
      from_here.add(**node);
      if (from_here.excess(value, radius) < 0) {
        above = support = from_here;
        node = node.get_l_child();
      } else {
        node = node.get_r_child();
      }
    }
    support.sum.subtract(radius);
    return support.counted() == 0 ? tree_.rbegin()->raw : support.sum.divided_by(support.count);
  }

  double search_exactly(double radius) const {
    ExactSum excess;
    excess.subtract(radius);
    std::size_t count = 0;
    for (auto it = tree_.rbegin(); it != tree_.rend(); ++it) {  // NOLINT(modernize-loop-convert)
      ExactSum lowered = excess;
      lowered.add_multiple(-it->raw, count);
      if (!lowered.negative()) break;
      excess.add(it->raw);
      ++count;
    }
    return excess.divided_by(count);
  }

  Tree tree_;
  double shift_ = 0;
  std::uint64_t serial_ = 0;
};

using BallTree = BallTreeOf<PlainValue>;
using WeightedBallTree = BallTreeOf<WeightedValue>;

}  // namespace thresh
