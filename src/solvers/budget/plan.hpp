// The stages of a run of the solver `budget`: how many features are left after each, and how those
// are found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "math/elementary.hpp"

namespace thresh {

struct Stage {
  std::uint64_t features = 0;  // that are left at its end
  bool curved = false;         // chosen by curvature, else by the threshold
  bool records = false;        // a budget that was asked for: its model is refitted from here on
};

// So many features of a learner at most have a quadratic model: 512^2 numbers, and pivots of a
// quarter million operations.
inline constexpr std::uint64_t kCandidates = 512;
inline constexpr std::uint64_t kSettling = 2;  // stages more of the quadratic model at a budget
inline constexpr std::uint64_t kRefitStages = 5;
inline constexpr std::uint64_t kStages = 20;        // of a run for one budget
inline constexpr std::uint64_t kNarrowing = 20;     // of one for several: those by the same factor
inline constexpr std::uint64_t kLeastStage = 1000;  // rows: fewer are shown more than once,
inline constexpr std::uint64_t kMostShown = 15;     // but no more often than this

// As many stages as a run down to the smallest of these budgets can need, and a few: where sizes
// coincide it needs less. What is left goes to the last refit. `learners` share the budgets.
inline std::uint64_t stages_for(const std::vector<std::uint64_t>& budgets,
                                std::uint64_t learners = 1) {
  if (budgets.size() == 1) return kStages;
  const auto few = std::count_if(budgets.begin(), budgets.end(),
                                 [&](std::uint64_t k) { return k <= learners * kCandidates; });
  constexpr std::uint64_t kSpare = 2;
  return kSpare + kNarrowing + budgets.size() + kSettling * static_cast<std::uint64_t>(few) +
         kRefitStages;
}

// What happens at the end of each stage, the first one's included, after which `first` features
// had weights. `budgets` descend; `candidates` is how many features quadratic models have room for,
// 0 if the loss has no curvature.
inline std::vector<Stage> plan_stages(std::uint64_t first,
                                      const std::vector<std::uint64_t>& budgets,
                                      std::uint64_t candidates) {
  const std::uint64_t last = budgets.back();
  const std::uint64_t top = std::max(first, budgets.front());
  const bool bends = last <= candidates;
  std::uint64_t narrowing = kNarrowing;
  if (budgets.size() == 1) narrowing = kStages - kRefitStages - (bends ? kSettling + 1 : 0);
  std::vector<std::uint64_t> sizes(budgets);
  for (std::uint64_t s = 1; s <= narrowing; ++s) {
    const double share = static_cast<double>(s) / static_cast<double>(narrowing);
    const double size = portable::pow(static_cast<double>(top), 1 - share) *
                        portable::pow(static_cast<double>(last), share);
    sizes.push_back(std::max(last, static_cast<std::uint64_t>(size)));
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());

  std::vector<Stage> plan;
  bool has_candidates = false;
  for (const std::uint64_t size : sizes) {
    const bool records = std::find(budgets.begin(), budgets.end(), size) != budgets.end();
    const bool by_curvature = size <= candidates;
    if (by_curvature && !has_candidates) {
      plan.push_back({std::max(size, std::min(top, candidates)), false, false});
      has_candidates = true;
    }
    const std::uint64_t times = by_curvature && records ? 1 + kSettling : 1;
    for (std::uint64_t i = 1; i <= times; ++i) {
      plan.push_back({size, by_curvature, records && i == times});
    }
  }
  return plan;
}

}  // namespace thresh
