#include "certify/bound_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "thresh/certificate.hpp"

namespace thresh {
namespace {

constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

// The place of a slot among ascending ones; none if it is not among them.
std::optional<std::size_t> place_of(const std::vector<std::uint32_t>& slots, std::uint32_t slot) {
  const auto found = std::lower_bound(slots.begin(), slots.end(), slot);
  if (found == slots.end() || *found != slot) return std::nullopt;
  return static_cast<std::size_t>(found - slots.begin());
}

}  // namespace

Fixings Fixings::only(const std::vector<std::size_t>& places) const {
  Fixings some(places.size(), most_);
  for (std::size_t k = 0; k < places.size(); ++k) some.states_[k] = states_[places[k]];
  some.taken_ = taken_;
  some.empty_ = empty_;
  return some;
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
  const auto terms = static_cast<Real>(most_);
  found.value = point.conjugate - sum * (1 + (terms + 16) * kRealUnit) / 2;
  return found;
}

Real Fixings::screen(const PointFacts& point, const Bound& bound, Real limit) {
  Real lowest = kInfinite;
  if (!std::isfinite(bound.value)) return lowest;
  // The bound with `gone` in place of `counted`, less what rounding may have added. It does not
  // depend on the limit.
  const auto swapped = [&](Real counted, Real gone) {
    const Real terms = std::fabs(bound.value) + counted + gone;
    return bound.value + (gone - counted) / 2 - 64 * kRealUnit * terms;
  };
  const bool none_left = free_places() == 0;
  for (std::size_t place = 0; place < states_.size(); ++place) {
    if (states_[place] != kFree) continue;
    const FeatureGain& gain = point.gains[place];
    const Real with = none_left    ? kInfinite
                      : bound.last ? swapped(gain.most, *bound.last)
                                   : -kInfinite;
    const Real without = swapped(bound.next, gain.least);
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
  bool closed = false, closed_good = false;
  std::shared_ptr<const PointFacts> point;
  std::uint32_t branch = 0;
  int done = 0;  // children
};

class Walk {
 public:
  Walk(const FeatureFacts& features, Real claimed, Real limit)
      : features_(features), slots_(features.slots()), claimed_(claimed), limit_(limit) {
    fixed_in_.assign(slots_.size(), 1);
    fixed_out_.assign(slots_.size(), 1);
  }

  // Takes a node: `point` is its own, or the one above. Fixes features.
  void take(Divided& node, bool is_leaf) {
    const PointFacts& point = *node.point;
    std::optional<Fixings::Bound> bound;
    const bool alike = node.below == node.good;
    if (!node.closed) {
      bound = node.below.bound(point);
      node.closed = bound->value >= claimed_;
    }
    if (!node.closed_good) {
      const Fixings::Bound good = alike && bound ? *bound : node.good.bound(point);
      node.closed_good = good.value > limit_;
      if (!node.closed_good) node.good.screen(point, good, limit_);
    }
    if (bound && (node.closed || is_leaf)) {
      lower(bound->value);
    } else if (bound) {
      lower(node.below.screen(point, *bound, claimed_));
    }
    if (!is_leaf || node.closed_good) return;
    has_good_ = true;
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      if (!node.good.is_in(place)) fixed_in_[place] = 0;
      if (!node.good.is_out(place)) fixed_out_[place] = 0;
    }
  }

  // From here on only features matter that the node leaves to some models.
  void leave_away(Divided& node) {
    std::shared_ptr<PointFacts> point = std::make_shared<PointFacts>();
    point->conjugate = node.point->conjugate;
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      const bool out = node.closed || node.below.is_out(place);
      if (out && (node.closed_good || node.good.is_out(place))) continue;
      places_.push_back(place);
      point->gains.push_back(node.point->gains[place]);
    }
    std::vector<std::uint32_t> slots;
    for (const std::size_t place : places_) slots.push_back(slots_[place]);
    slots_ = std::move(slots);
    fixed_in_.assign(slots_.size(), 1);
    fixed_out_.assign(slots_.size(), 1);
    node.below = node.below.only(places_);
    node.good = node.good.only(places_);
    node.point = std::move(point);
  }

  void fix_branch(std::uint32_t slot, bool in, Divided& node) const {
    const auto place = place_of(slots_, slot);
    for (Fixings* fixings : {&node.below, &node.good}) {
      if (place) {
        fixings->fix(*place, in);
      } else if (features_.occurs(slot)) {
        fixings->fix_left_away(in);
      } else {
        fixings->fix_absent(in);
      }
    }
  }

  const std::vector<std::uint32_t>& slots() const { return slots_; }

  TreeFacts found() const {
    TreeFacts facts;
    facts.bound = bound_;
    if (places_.empty() && slots_.size() == features_.slots().size()) {
      facts.always = fixed_in_;
      facts.never = fixed_out_;
      return facts;
    }
    facts.always.assign(features_.slots().size(), has_good_ ? 0 : 1);
    facts.never.assign(features_.slots().size(), 1);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      facts.always[places_[k]] = fixed_in_[k];
      facts.never[places_[k]] = fixed_out_[k];
    }
    return facts;
  }

 private:
  void lower(Real bound) { bound_ = std::min(bound_, bound); }

  const FeatureFacts& features_;
  std::vector<std::uint32_t> slots_;  // of the features that matter
  std::vector<std::size_t> places_;   // likewise, among those that occur; empty: all
  Real claimed_, limit_;
  Real bound_ = kInfinite;
  bool has_good_ = false;                   // leaf
  std::vector<char> fixed_in_, fixed_out_;  // in all good leaves
};

Divided whole_of(const FeatureFacts& features, const PointFacts& root) {
  Fixings all(features.slots().size(), features.problem().features);
  for (const std::uint32_t slot : features.problem().kept) {
    if (const auto place = place_of(features.slots(), slot)) all.fix(*place, true);
  }
  return {all, all, false, false, std::shared_ptr<const PointFacts>(&root, [](auto*) {}), 0, 0};
}

}  // namespace

TreeFacts walk_tree(const FeatureFacts& features, const PointFacts& root,
                    const std::vector<BoundNode>& nodes, Real claimed, Real limit,
                    const FactsOf& facts_of) {
  const Real slack = 64 * kRealUnit * std::fabs(limit);
  Walk walk(features, claimed, limit + slack);
  Divided top = whole_of(features, root);
  walk.take(top, nodes.empty());
  if (!nodes.empty()) walk.leave_away(top);
  std::vector<Divided> path;  // nodes whose children are not all done
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const BoundNode& node = nodes[number];
    if (number > 0 && path.empty()) throw CertificateError("the tree has nodes behind its end");
    Divided now = number == 0 ? top : path.back();
    now.done = 0;
    if (number > 0) {
      // The first child has the feature.
      walk.fix_branch(path.back().branch, path.back().done == 0, now);
      ++path.back().done;
    }
    if (node.point) now.point = facts_of(number, walk.slots());
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
