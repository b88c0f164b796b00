// Walks through the nodes of a proof by branch and bound, see subset_bound.hpp, and finds what it
// proves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "certify/point_facts.hpp"

namespace thresh {

// The models of a node: which features they have and have not.
class Fixings {
 public:
  // Of this many features at most, at first without any that is in or out.
  Fixings(std::size_t places, std::uint64_t most) : most_(most), states_(places) {}
  // The same without some features, which are out: `places` has the others, ascending.
  Fixings only(const std::vector<std::size_t>& places) const;
  bool operator==(const Fixings& other) const = default;

  bool is_in(std::size_t place) const { return states_[place] == kIn; }
  bool is_out(std::size_t place) const { return states_[place] == kOut; }
  // By the place of a feature among those that occur. A feature that is both in and out, or too
  // many that are in, leave no model.
  void fix(std::size_t place, bool in);
  // Of a feature that occurs nowhere.
  void fix_absent(bool in) { taken_ += in ? 1 : 0; }
  // Of one that only() left away.
  void fix_left_away(bool in) { empty_ = empty_ || in; }
  bool is_empty() const { return empty_ || taken_ > most_; }

  // The bound of the point for the models of this node.
  struct Bound {
    Real value;
    std::optional<Real> last;  // the smallest of the K largest; none if no feature must leave
    Real next = 0;             // the largest of the others
  };
  Bound bound(const PointFacts& point) const;
  // Fixes the features that no model below `limit` has, or lacks: with a feature forced in, it
  // takes the place of the last one of the K largest; forced out, the next one takes its place.
  // Returns the lowest bound of those that it has fixed.
  Real screen(const PointFacts& point, const Bound& bound, Real limit);

 private:
  static constexpr char kFree = 0, kIn = 1, kOut = 2;

  std::size_t free_places() const { return most_ - std::min<std::uint64_t>(most_, taken_); }

  std::uint64_t most_;
  std::vector<char> states_;  // by place
  std::uint64_t taken_ = 0;   // places, by features that are in
  bool empty_ = false;
};

struct TreeFacts {
  Real bound = 0;  // what the tree proves
  // Of every model whose objective is not above the limit, by place.
  std::vector<char> always, never;
};

// The facts of the node with this number, which has a point, about these features; it is called by
// ascending number, and always with the same features, those that some model below `claimed` or
// within the limit may have.
using FactsOf = std::function<std::shared_ptr<const PointFacts>(
    std::size_t number, const std::vector<std::uint32_t>& slots)>;

// Nodes below `claimed` are divided, features above it fixed. Throws CertificateError unless every
// node has its two children, and nothing else follows.
//
// With a lower claim more features are fixed, so every node's bound is as high or higher. And if
// what is found is above the claim, any claim between the two finds the same.
TreeFacts walk_tree(const FeatureFacts& features, const PointFacts& root,
                    const std::vector<BoundNode>& nodes, Real claimed, Real limit,
                    const FactsOf& facts_of);

}  // namespace thresh
