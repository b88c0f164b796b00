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
// Cost: O(log n) for a change, O(log n) for a projection and each zero it makes; 96 bytes a value.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>

#include "projection/double_double.hpp"
#include "projection/exact_sum.hpp"
#include "thresh/error.hpp"

namespace thresh {

class BallTree {
 public:
  // A value at or below the shift counts as zero: it is not stored and cannot be erased.
  void insert(double raw, double weight = 1) {
    if (!std::isfinite(raw)) throw Error("a magnitude in a ball is not finite");
    weighted_ = weighted_ || weight != 1;
    if (raw > shift_) tree_.insert({raw, weight, ++serial_});
  }

  void erase(double raw, double weight = 1) {
    if (!(raw > shift_)) return;
    const auto found = tree_.lower_bound({raw, weight, 0});
    if (found == tree_.end() || found->raw != raw || found->weight != weight) {
      throw Error("a magnitude is not in the ball");
    }
    tree_.erase(found);
  }

  double shift() const { return shift_; }
  std::size_t size() const { return tree_.size(); }
  // Of the weights; 1 if there are none.
  double mean_square() const {
    if (tree_.empty()) return 1;
    return tree_.node_begin().get_metadata().count.high / static_cast<double>(tree_.size());
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
  struct Key {
    double raw;
    double weight;
    std::uint64_t serial;  // distinguishes equal values
    auto operator<=>(const Key&) const = default;
  };

  struct Total {
    DoubleDouble count;  // of values; exact unless they have weights
    DoubleDouble sum;

    void add(const Total& other) {
      count.add(other.count);
      sum.add(other.sum);
    }
    void add(const Key& key) {
      const DoubleDouble square = product(key.weight, key.weight);
      DoubleDouble counted = product(square.high, key.raw);
      counted.low += square.low * key.raw;
      count.add(square);
      sum.add(counted);
    }
    // The sum minus the radius after everything is lowered to the value.
    double excess(double value, double radius) const {
      DoubleDouble left = sum;
      left.subtract(radius);
      const DoubleDouble lowered = product(value, count.high);
      left.subtract(lowered.high);
      left.low -= lowered.low + value * count.low;
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
    if (weighted_ && !std::isfinite(over.low)) throw Error("the sums over a ball overflow");
    if (!weighted_ && (!(std::fabs(over.normalised().high) > 0x1p-40 * (all.sum.high + radius)) ||
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
    return support.count.high == 0 ? tree_.rbegin()->raw : support.sum.divided_by(support.count);
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
  bool weighted_ = false;
};

}  // namespace thresh
