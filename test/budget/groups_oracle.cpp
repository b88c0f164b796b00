// Groups of features in the solver budget: units of candidates against exhaustive search in the
// quadratic model.

#include "solvers/budget/groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "budget/curvature_sample.hpp"
#include "solvers/budget/choose.hpp"

namespace thresh::groups_oracle {
namespace {

// Of up to nine features, in groups of one to three.
FeatureGroups random_groups(std::size_t features, Random& random) {
  FeatureGroups groups;
  for (std::size_t j = 0; j < features;) {
    const std::size_t size = std::min<std::size_t>(1 + random.below(3), features - j);
    if (size > 1) {
      groups.members.emplace_back();
      for (std::size_t i = j; i < j + size; ++i) {
        groups.members.back().push_back(slot_of(i));
        groups.group[slot_of(i)] = static_cast<std::uint32_t>(groups.members.size() - 1);
      }
    }
    j += size;
  }
  return groups;
}

FeatureSet features_of(const Unit& unit) {
  FeatureSet set = 0;
  for (const std::size_t place : unit.places) set |= FeatureSet{1} << place;
  return set;
}

struct Trial {
  CurvatureSample sample;
  std::vector<Unit> units;
  std::uint64_t k;

  // The lowest Q of all choices of whole units with at most k features.
  double best() const {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t chosen = 0; chosen < (1U << units.size()); ++chosen) {
      FeatureSet set = 0;
      std::uint64_t size = 0;
      for (std::size_t u = 0; u < units.size(); ++u) {
        if ((chosen >> u & 1) == 0) continue;
        set |= features_of(units[u]);
        size += units[u].size;
      }
      if (size <= k) lowest = std::min(lowest, minimum(sample, set).q);
    }
    return lowest;
  }
  FeatureSet chosen(std::vector<char> kept) const {
    const Curvature model = model_of(sample);
    const Choice choice{&model, std::vector<char>(sample.features), std::move(kept), {}, units};
    FeatureSet set = 0;
    const std::vector<SparseWeights> found = choose(k, {choice}, sample.scale);
    for (const std::uint32_t slot : found.front().slots) {
      set |= FeatureSet{1} << (slot / 3 - 1);
    }
    return set;
  }
};

Trial trial_of(std::uint64_t seed) {
  Random random(seed);
  const std::size_t features = 4 + random.below(6);
  Trial trial{sample(features, 10 + random.below(30), 0.8, random.below(2) == 0, seed), {}, 0};
  std::vector<std::uint32_t> slots;
  for (std::size_t j = 0; j < features; ++j) slots.push_back(slot_of(j));
  trial.units = units_among(slots, random_groups(features, random));
  trial.k = 1 + random.below(features);
  return trial;
}

void expect_whole_units(const Trial& trial, FeatureSet set) {
  std::uint64_t size = 0;
  for (const Unit& unit : trial.units) {
    const FeatureSet all = features_of(unit);
    EXPECT_TRUE((set & all) == 0 || (set & all) == all);
    if ((set & all) != 0) size += unit.size;
  }
  EXPECT_LE(size, trial.k);
}

// Exchanges of single units end where no exchange helps, which is nearly always the best of all.
TEST(BudgetGroups, AreChosenAsExhaustiveSearchDoes) {
  constexpr int kTrials = 300;
  int best = 0;
  for (int seed = 1; seed <= kTrials; ++seed) {
    SCOPED_TRACE(seed);
    const Trial trial = trial_of(static_cast<std::uint64_t>(seed));
    const FeatureSet set = trial.chosen(std::vector<char>(trial.sample.features));
    expect_whole_units(trial, set);
    const double got = minimum(trial.sample, set).q, lowest = trial.best();
    EXPECT_GE(got, lowest - 1e-9 * (1 + std::fabs(lowest)));
    best += got <= lowest + 1e-7 * (1 + std::fabs(lowest)) ? 1 : 0;
  }
  EXPECT_GE(best, kTrials * 97 / 100);
}

TEST(BudgetGroups, ARequiredFeatureBringsItsUnit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Trial trial = trial_of(seed);
    trial.k = std::max<std::uint64_t>(trial.k, 3);
    std::vector<char> kept(trial.sample.features);
    kept[1] = 1;
    const FeatureSet set = trial.chosen(kept);
    expect_whole_units(trial, set);
    EXPECT_NE(set >> 1 & 1, 0U) << seed;
  }
}

// By the root mean square of their scores, so a group does not win by its size.
TEST(BudgetGroups, TheBestByScoreThatFit) {
  FeatureGroups groups;
  groups.members = {{0, 1, 2}, {4, 5}};
  for (std::uint32_t slot : {0, 1, 2}) groups.group[slot] = 0;
  for (std::uint32_t slot : {4, 5}) groups.group[slot] = 1;
  const std::vector<double> scores = {5, 0, 0, 2, 4, 1, 0};
  const auto chosen = [&](std::uint64_t k, const std::vector<std::uint32_t>& required) {
    const std::vector<char> flags =
        best_groups(groups, 7, k, required, [&](std::uint32_t slot) { return scores[slot]; });
    std::string text;
    for (const char flag : flags) text += flag != 0 ? '1' : '0';
    return text;
  };
  EXPECT_EQ(chosen(1, {}), "0001000") << "only single features fit";
  EXPECT_EQ(chosen(2, {}), "0000110");
  EXPECT_EQ(chosen(4, {}), "0001110") << "17 / 2 is more than 25 / 3";
  EXPECT_EQ(chosen(5, {}), "1110110");
  EXPECT_EQ(chosen(100, {}), "1111110") << "without a score none is chosen";
  EXPECT_EQ(chosen(3, {1}), "1110000");
}

}  // namespace
}  // namespace thresh::groups_oracle
