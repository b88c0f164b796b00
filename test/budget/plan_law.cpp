// The stages of the solver `budget`, whatever the data turn out to have.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "solvers/budget/plan.hpp"

namespace thresh::plan_law {
namespace {

using Budgets = std::vector<std::uint64_t>;

// Small ones more often than large ones: around 512 and around `first` things happen.
std::uint64_t any_size() {
  const auto most = *rc::gen::element<std::uint64_t>(4, 30, 520, 3'000, 50'000'000);
  return *rc::gen::inRange<std::uint64_t>(1, most + 1);
}

Budgets any_budgets(std::size_t most) {
  Budgets budgets(*rc::gen::inRange<std::size_t>(1, most + 1));
  for (std::uint64_t& budget : budgets) budget = any_size();
  std::sort(budgets.begin(), budgets.end(), std::greater<>());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

std::uint64_t any_candidates() {
  return *rc::gen::element<std::uint64_t>(0, kCandidates);
}

RC_GTEST_PROP(BudgetPlan, NarrowsDownToTheSmallestBudget, ()) {
  const Budgets budgets = any_budgets(12);
  const std::uint64_t first = *rc::gen::element<std::uint64_t>(0, any_size());
  const auto plan = plan_stages(first, budgets, any_candidates());
  RC_ASSERT(!plan.empty());
  for (std::size_t s = 1; s < plan.size(); ++s) {
    RC_ASSERT(plan[s].features <= plan[s - 1].features);
  }
  RC_ASSERT(plan.front().features <= std::max(first, budgets.front()));
  RC_ASSERT(plan.back().features == budgets.back());
  RC_ASSERT(plan.back().records);
}

RC_GTEST_PROP(BudgetPlan, RecordsEachBudgetOnceWhenNothingMoreHappensToIt, ()) {
  const Budgets budgets = any_budgets(12);
  const auto plan = plan_stages(any_size(), budgets, any_candidates());
  Budgets recorded;
  for (std::size_t s = 0; s < plan.size(); ++s) {
    if (!plan[s].records) continue;
    recorded.push_back(plan[s].features);
    // Not one condition with ||: what RC_ASSERT makes of it looks at both sides.
    if (s + 1 < plan.size()) RC_ASSERT(plan[s + 1].features < plan[s].features);
  }
  RC_ASSERT(recorded == budgets);
}

RC_GTEST_PROP(BudgetPlan, LeavesFiveStagesForTheLastRefit, ()) {
  const Budgets budgets = any_budgets(*rc::gen::element<std::size_t>(1, 2, 40));
  const auto learners = *rc::gen::element<std::uint64_t>(1, 2, 20);
  const auto plan = plan_stages(any_size(), budgets, learners * any_candidates());
  RC_ASSERT(plan.size() + kRefitStages <= stages_for(budgets, learners));
}

// The quadratic model has room for 512 and is not left again, since the sums are gone by then; it
// begins with a stage that cuts its candidates out.
RC_GTEST_PROP(BudgetPlan, CurvatureChoosesFrom512On, ()) {
  const Budgets budgets = any_budgets(12);
  const std::uint64_t first = any_size();
  const bool curved = *rc::gen::arbitrary<bool>();
  const auto plan = plan_stages(first, budgets, curved ? kCandidates : 0);
  const auto is_curved = [](const Stage& stage) { return stage.curved; };
  const auto from = std::find_if(plan.begin(), plan.end(), is_curved);
  RC_ASSERT((from != plan.end()) == (curved && budgets.back() <= kCandidates));
  RC_ASSERT(std::all_of(from, plan.end(), is_curved));
  for (const Stage& stage : plan) RC_ASSERT(!stage.curved || stage.features <= kCandidates);
  if (from == plan.end()) return;
  RC_ASSERT(from != plan.begin());
  const std::uint64_t top = std::max(first, budgets.front());
  RC_ASSERT(std::prev(from)->features == std::min(top, kCandidates));
}

// Two stages more of the quadratic model at each budget that it can choose.
RC_GTEST_PROP(BudgetPlan, CurvatureSettlesAtABudget, ()) {
  const Budgets budgets = any_budgets(12);
  const auto plan = plan_stages(any_size(), budgets, kCandidates);
  for (const std::uint64_t budget : budgets) {
    const auto times = std::count_if(plan.begin(), plan.end(), [&](const Stage& stage) {
      return stage.curved && stage.features == budget;
    });
    RC_ASSERT(times == (budget <= kCandidates ? 3 : 0));
  }
}

// With many features no two steps coincide: 20 stages, the last 5 of them for the refit.
TEST(BudgetPlan, OneBudgetTakesTwentyStages) {
  for (const bool curved : {false, true}) {
    for (const std::uint64_t budget : {10, 500, 513, 5'000}) {
      EXPECT_EQ(plan_stages(1'000'000, {budget}, curved ? kCandidates : 0).size(), 15u) << budget;
      EXPECT_EQ(stages_for({budget}), 20u);
    }
  }
}

}  // namespace
}  // namespace thresh::plan_law
