// Features that enter a model together or not at all, such as the columns of one category. A budget
// counts features: a group takes as many places as it has members, whether or not they occur.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "solvers/budget/sparse_weights.hpp"

namespace thresh {

struct Choice;

struct FeatureGroups {
  std::vector<std::vector<std::uint32_t>> members;         // slots, ascending
  std::unordered_map<std::uint32_t, std::uint32_t> group;  // of a slot that has one

  const std::vector<std::uint32_t>* of(std::uint32_t slot) const {
    const auto found = group.find(slot);
    return found == group.end() ? nullptr : &members[found->second];
  }
};

// Candidates that enter together, by place.
struct Unit {
  std::vector<std::size_t> places;
  std::uint64_t size = 1;  // of the budget
};

// The groups among the candidates and, of those in no group, each for itself; by their first place.
std::vector<Unit> units_among(const std::vector<std::uint32_t>& candidates,
                              const FeatureGroups& groups);

// Which slots are in the best units of at most `features` features: required ones, then by the root
// mean square of score(slot) within a unit. Those with only zeros never are.
template <class Score>
std::vector<char> best_groups(const FeatureGroups& groups, std::size_t slots,
                              std::uint64_t features, const std::vector<std::uint32_t>& required,
                              const Score& score) {
  std::vector<std::uint32_t> all(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) all[slot] = slot;
  std::vector<Unit> units = units_among(all, groups);
  std::vector<double> worth(units.size());
  std::vector<std::size_t> order(units.size());
  for (std::size_t u = 0; u < units.size(); ++u) {
    order[u] = u;
    bool kept = false;
    for (const std::size_t place : units[u].places) {
      const double s = score(static_cast<std::uint32_t>(place));
      worth[u] += s * s / static_cast<double>(units[u].size);
      kept |=
          std::binary_search(required.begin(), required.end(), static_cast<std::uint32_t>(place));
    }
    if (kept) worth[u] = std::numeric_limits<double>::infinity();
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worth[a] > worth[b]; });
  std::vector<char> chosen(slots);
  for (const std::size_t u : order) {
    if (!(worth[u] > 0) || units[u].size > features) continue;
    features -= units[u].size;
    for (const std::size_t place : units[u].places) chosen[place] = 1;
  }
  return chosen;
}

// choose() for units of candidates: the k features of whole units with the lowest Q that dropping,
// adding and exchanging units find.
SparseWeights choose_units(std::uint64_t k, const Choice& choice, double scale);

}  // namespace thresh
