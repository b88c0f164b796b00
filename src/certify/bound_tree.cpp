#include "certify/bound_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thresh/certificate.hpp"

namespace thresh {
namespace {

constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

// The place of a slot among those that occur; none if it occurs nowhere.
std::optional<std::size_t> place_of(const FeatureFacts& features, std::uint32_t slot) {
  const auto& slots = features.slots();
  const auto found = std::lower_bound(slots.begin(), slots.end(), slot);
  if (found == slots.end() || *found != slot) return std::nullopt;
  return static_cast<std::size_t>(found - slots.begin());
}

}  // namespace

Fixings::Fixings(const FeatureFacts& features)
    : features_(features), states_(features.slots().size()) {
  for (const std::uint32_t slot : features.problem().kept) {
    if (const auto place = place_of(features, slot)) fix(*place, true);
  }
}

void Fixings::fix(std::size_t place, bool in) {
  char& state = states_[place];
  const char wanted = in ? kIn : kOut;
  if (state == wanted) return;
  if (state != kFree) empty_ = true;
  state = wanted;
  if (in) ++taken_;
}

Fixings::Bound Fixings::bound(const PointFacts& point) const {
  if (is_empty()) return {kInfinite, std::nullopt, 0};
  std::vector<Real> others;
  Real sum = 0;
  for (std::size_t place = 0; place < states_.size(); ++place) {
    const Real most = point.gains[place].most;
    if (is_in(place)) sum += most;
    if (states_[place] == kFree && most != 0) others.push_back(most);
  }
  const std::size_t free = free_places();
  Bound found{0, std::nullopt, 0};
  const auto at = [&](std::size_t k) { return others.begin() + static_cast<std::ptrdiff_t>(k); };
  if (free < others.size()) {
    std::nth_element(others.begin(), at(free), others.end(), std::greater<>());
    found.next = others[free];
  }
  const std::size_t counted = std::min(free, others.size());
  std::sort(others.begin(), at(counted), std::greater<>());
  for (std::size_t k = 0; k < counted; ++k) sum += others[k];
  if (free > 0 && free <= others.size()) found.last = others[free - 1];
  const auto terms = static_cast<Real>(features_.problem().features);
  found.value = point.conjugate - sum * (1 + (terms + 16) * kRealUnit) / 2;
  return found;
}

Real Fixings::screen(const PointFacts& point, const Bound& bound, Real limit) {
  Real lowest = kInfinite;
  if (!std::isfinite(bound.value)) return lowest;
  const Real slack = 64 * kRealUnit * (std::fabs(limit) + std::fabs(bound.value));
  const bool none_left = free_places() == 0;
  for (std::size_t place = 0; place < states_.size(); ++place) {
    if (states_[place] != kFree) continue;
    const FeatureGain& gain = point.gains[place];
    const Real with = none_left    ? kInfinite
                      : bound.last ? bound.value + (*bound.last - gain.most) / 2 - slack
                                   : -kInfinite;
    const Real without = bound.value + (gain.least - bound.next) / 2 - slack;
    if (with > limit) {
      fix(place, false);
      lowest = std::min(lowest, with);
    } else if (without > limit) {
      fix(place, true);
      lowest = std::min(lowest, without);
    }
  }
  return lowest;
}

namespace {

// A node whose children come next.
struct Divided {
  Fixings below, good;  // for models below the claimed bound, and for those within the limit
  bool closed, closed_good;
  std::shared_ptr<const PointFacts> point;
  std::uint32_t branch;
  int done = 0;  // children
};

class Walk {
 public:
  Walk(const FeatureFacts& features, Real claimed, Real limit) : claimed_(claimed), limit_(limit) {
    facts_.bound = kInfinite;
    facts_.always.assign(features.slots().size(), 1);
    facts_.never.assign(features.slots().size(), 1);
  }

  // Takes a node: `point` is its own, or the one above. Fixes features.
  void take(Divided& node, bool is_leaf) {
    const PointFacts& point = *node.point;
    if (!node.closed) {
      const Fixings::Bound bound = node.below.bound(point);
      node.closed = bound.value >= claimed_;
      if (node.closed || is_leaf) {
        lower(bound.value);
      } else {
        lower(node.below.screen(point, bound, claimed_));
      }
    }
    if (node.closed_good) return;
    const Fixings::Bound bound = node.good.bound(point);
    node.closed_good = bound.value > limit_;
    if (node.closed_good) return;
    node.good.screen(point, bound, limit_);
    if (!is_leaf) return;
    for (std::size_t place = 0; place < facts_.always.size(); ++place) {
      if (!node.good.is_in(place)) facts_.always[place] = 0;
      if (!node.good.is_out(place)) facts_.never[place] = 0;
    }
  }

  TreeFacts found() { return std::move(facts_); }
  void lower(Real bound) { facts_.bound = std::min(facts_.bound, bound); }

 private:
  Real claimed_, limit_;
  TreeFacts facts_;
};

void fix_branch(const FeatureFacts& features, std::uint32_t slot, bool in, Divided& node) {
  const auto place = place_of(features, slot);
  for (Fixings* fixings : {&node.below, &node.good}) {
    if (place) {
      fixings->fix(*place, in);
    } else {
      fixings->fix_absent(in);
    }
  }
}

}  // namespace

TreeFacts walk_tree(const FeatureFacts& features, const PointFacts& root,
                    const std::vector<BoundNode>& nodes, Real claimed, Real limit,
                    const std::function<std::shared_ptr<const PointFacts>(std::size_t)>& facts_of) {
  const Real slack = 64 * kRealUnit * std::fabs(limit);
  Walk walk(features, claimed, limit + slack);
  const Fixings all(features);
  Divided top{all, all, false, false, std::shared_ptr<const PointFacts>(&root, [](auto*) {}), 0, 0};
  walk.take(top, nodes.empty());
  std::vector<Divided> path;  // nodes whose children are not all done
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const BoundNode& node = nodes[number];
    if (number > 0 && path.empty()) throw CertificateError("the tree has nodes behind its end");
    Divided now = number == 0 ? top : path.back();
    now.done = 0;
    if (number > 0) {
      // The first child has the feature.
      fix_branch(features, path.back().branch, path.back().done == 0, now);
      ++path.back().done;
    }
    if (node.point) now.point = facts_of(number);
    walk.take(now, !node.branch);
    if (node.branch) {
      now.branch = *node.branch;
      path.push_back(std::move(now));
    }
    while (!path.empty() && path.back().done == 2) path.pop_back();
  }
  if (!path.empty()) throw CertificateError("the tree lacks nodes");
  return walk.found();
}

}  // namespace thresh
