// Plans the stages of a run of the solver `budget`: the number of features after each, and how they
// are selected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "math/elementary.hpp"

namespace thresh {

struct Stage {
  std::uint64_t features = 0;  // left at its end
  bool curved = false;         // selected by curvature, else by threshold
  bool records = false;        // a requested budget: its model is refitted from here on

  template <class Archive>
  void archive(Archive& a) {
    a(features, curved, records);
  }
};

// The most features with a quadratic model, per learner: 512^2 numbers, and pivots of a quarter
// million operations.
inline constexpr std::uint64_t kCandidates = 512;
inline constexpr std::uint64_t kSettling = 2;  // extra stages of the quadratic model at a budget
inline constexpr std::uint64_t kRefitStages = 5;
inline constexpr std::uint64_t kStages = 20;        // for one budget
inline constexpr std::uint64_t kNarrowing = 20;     // of equal factors, for several budgets
inline constexpr std::uint64_t kLeastStage = 1000;  // rows; smaller data are shown several times,
inline constexpr std::uint64_t kMostShown = 15;     // at most this often

// An upper bound on the stages for a run down to the smallest of these budgets, plus a few. Stages
// that are not needed go to the last refit. `learners` share the budgets.
inline std::uint64_t stages_for(const std::vector<std::uint64_t>& budgets,
                                std::uint64_t learners = 1) {
  if (budgets.size() == 1) return kStages;
  const auto few = std::count_if(budgets.begin(), budgets.end(),
                                 [&](std::uint64_t k) { return k <= learners * kCandidates; });
  constexpr std::uint64_t kSpare = 2;
  return kSpare + kNarrowing + budgets.size() + kSettling * static_cast<std::uint64_t>(few) +
         kRefitStages;
}

// What happens at the end of each stage, including the first, which left `first` features.
// `budgets` descend. `candidates` is the capacity of the quadratic models, 0 if the loss has no
// curvature.
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

// For a run that only selects so many features: it narrows to them for three quarters of its
// stages, and then holds the number while others may still replace them.
inline std::vector<Stage> plan_selection(std::uint64_t first, std::uint64_t features,
                                         std::uint64_t stages) {
  const auto top = static_cast<double>(std::max(first, features));
  std::vector<Stage> plan;
  for (std::uint64_t s = 1; s <= stages; ++s) {
    const double share =
        std::min(1.0, static_cast<double>(4 * s) / static_cast<double>(3 * stages));
    const double size =
        portable::pow(top, 1 - share) * portable::pow(static_cast<double>(features), share);
    plan.push_back({std::max(features, static_cast<std::uint64_t>(size)), false, false});
  }
  plan.back().features = features;
  return plan;
}

}  // namespace thresh
