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
#include <vector>

#include "projection/double_double.hpp"
#include "projection/exact_sum.hpp"
#include "sparse/archive.hpp"
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

  // With the shape of the tree, which depends on how it grew: sums are rounded along it.
  void archive(Archive& a) {
    a(shift_, serial_);
    std::vector<Stored> nodes;
    if (!a.reads()) tree_.write(nodes);
    a(nodes);
    if (a.reads()) tree_.read(nodes);
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

  using RedBlackTree =
      __gnu_pbds::tree<Key, __gnu_pbds::null_type, std::less<Key>, __gnu_pbds::rb_tree_tag, Totals>;

  // A node in an archive; they stand in the order of their values.
  struct Stored {
    Key key = {};
    std::uint64_t depth = 0;
    bool red = false;
    Total total = {};  // a rotation may have left it with another rounding

    void archive(Archive& a) {
      a(key.raw, key.serial, depth, red, total.sum.high, total.sum.low);
      if constexpr (kWeighted) {
        a(key.weight, total.count.high, total.count.low);
      } else {
        a(total.count);
      }
    }
  };

  // Gives access to the nodes. Values and depths in order determine a binary tree.
  class Tree : public RedBlackTree {
   public:
    void write(std::vector<Stored>& nodes) const { write(this->m_p_head->m_p_parent, 0, nodes); }

    void read(const std::vector<Stored>& nodes) {
      std::size_t at = 0;
      const Subtree whole = check(nodes, at, 0);
      Archive::require(at == nodes.size() && !whole.red);
      this->clear();
      for (const Stored& each : nodes) {
        Archive::require(std::isfinite(each.key.raw) && this->insert(each.key).second);
      }
      std::vector<decltype(this->m_p_head)> made;  // in order; insertion linked them in some way
      collect(this->m_p_head->m_p_parent, made);
      for (std::size_t i = 0; i < made.size(); ++i) {
        Archive::require(made[i]->m_value == nodes[i].key);
      }
      if (made.empty()) return;
      at = 0;
      auto* const root = link(nodes, made, at, 0);
      this->m_p_head->m_p_parent = root;
      root->m_p_parent = this->m_p_head;
    }

   private:
    // Of a red-black tree with as many nodes as memory has room for.
    static constexpr std::uint64_t kDeepest = 100;

    template <class Node>
    static void write(const Node* node, std::uint64_t depth, std::vector<Stored>& nodes) {
      if (node == nullptr) return;
      write(node->m_p_left, depth + 1, nodes);
      nodes.push_back({node->m_value, depth, node->m_red, node->get_metadata()});
      write(node->m_p_right, depth + 1, nodes);
    }

    template <class Node>
    static void collect(Node* node, std::vector<Node*>& made) {
      if (node == nullptr) return;
      collect(node->m_p_left, made);
      made.push_back(node);
      collect(node->m_p_right, made);
    }

    struct Subtree {
      std::uint64_t black_height = 1;
      bool red = false;
    };
    // Throws unless the nodes from `at` on that are at least this deep are a red-black tree.
    static Subtree check(const std::vector<Stored>& nodes, std::size_t& at, std::uint64_t depth) {
      if (at == nodes.size() || nodes[at].depth < depth) return {};
      Archive::require(depth <= kDeepest);
      const Subtree left = nodes[at].depth > depth ? check(nodes, at, depth + 1) : Subtree{};
      Archive::require(at < nodes.size() && nodes[at].depth == depth);
      const bool red = nodes[at++].red;
      const Subtree right = check(nodes, at, depth + 1);
      Archive::require(left.black_height == right.black_height);
      Archive::require(!red || (!left.red && !right.red));
      return {left.black_height + (red ? 0 : 1), red};
    }

    // Links these nodes and returns their root.
    template <class Node>
    static Node* link(const std::vector<Stored>& nodes, const std::vector<Node*>& made,
                      std::size_t& at, std::uint64_t depth) {
      if (at == nodes.size() || nodes[at].depth < depth) return nullptr;
      Node* const left = nodes[at].depth > depth ? link(nodes, made, at, depth + 1) : nullptr;
      Node* const node = made[at];
      node->m_red = nodes[at].red;
      node->get_metadata() = nodes[at].total;
      ++at;
      node->m_p_left = left;
      node->m_p_right = link(nodes, made, at, depth + 1);
      for (Node* const child : {node->m_p_left, node->m_p_right}) {
        if (child != nullptr) child->m_p_parent = node;
      }
      return node;
    }
  };

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
