// The bound for models of K features, against fits of all subsets.

#include "certify/subset_bound.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>

#include "certify/subset_case.hpp"

namespace thresh::subset_bound_oracle {
namespace {

using namespace subset_case;

RC_GTEST_PROP(SubsetBound, NoSubsetIsBelowIt, ()) {
  const SubsetCase c = any_case();
  const Best best = best_of_all(c);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Dense dual{Vector(c.data.features), random.normal()};
  for (double& w : dual.w) w = random.uniform() < 0.5 ? random.normal() : 0;
  if (!c.problem.intercept) dual.b = 0;
  for (const Dense& at : {dual, best.at, Dense{Vector(c.data.features), 0}}) {
    const SubsetBound found = bound_of(c, best.at, at);
    RC_ASSERT(found.bound <= best.objective * (1 + kFit));
    RC_ASSERT(std::fabs(found.objective - best.objective) <= kFit * best.objective);
  }
}

// The relaxed optimum is between the bound and the best subset, and its slopes give a bound that
// meets it.
RC_GTEST_PROP(SubsetBound, OfTheRelaxedOptimumMeetsIt, ()) {
  const SubsetCase c = any_case();
  const Best best = best_of_all(c);
  double lowest = 0;
  const Dense dual = relaxed(c, lowest);
  const SubsetBound found = bound_of(c, best.at, dual);
  RC_ASSERT(lowest <= best.objective * (1 + kFit));
  RC_ASSERT(found.bound <= lowest * (1 + kFit));
  RC_ASSERT(found.bound >= lowest - 1e-4 * lowest);
}

// Of every model that is as good as the given one, which need not be the best.
RC_GTEST_PROP(SubsetBound, ScreeningIsTrueOfEveryModelAsGood, ()) {
  const SubsetCase c = any_case();
  std::vector<Best> all;
  for_each_subset(c, [&](const Best& each) { all.push_back(each); });
  std::sort(all.begin(), all.end(),
            [](const Best& a, const Best& b) { return a.objective < b.objective; });
  const std::size_t rank = std::min(all.size() - 1, *rc::gen::inRange<std::size_t>(0, 6));
  double lowest = 0;
  const SubsetBound found = bound_of(c, all[rank].at, relaxed(c, lowest));
  std::uint32_t in_some = 0;  // features of models that are as good
  for_each_subset(c, [&](const Best& other) {
    if (other.objective > found.objective) return;
    in_some |= other.features;
    for (const std::uint32_t j : found.proved_in) RC_ASSERT((other.features >> j & 1U) != 0);
  });
  RC_ASSERT(found.proved_out + static_cast<std::uint64_t>(std::popcount(in_some)) <=
            c.data.features);
  RC_CLASSIFY(!found.proved_in.empty());
  RC_CLASSIFY(found.proved_out > 0);
}

}  // namespace
}  // namespace thresh::subset_bound_oracle
