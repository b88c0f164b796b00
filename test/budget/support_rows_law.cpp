// Sets of slots that know their places, and rows as they see them.

#include "solvers/budget/support_rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "budget/owned_row.hpp"
#include "sparse/random.hpp"

namespace thresh::support_rows_law {
namespace {

using Slots = std::vector<std::uint32_t>;

// Around the ends of words as well as far apart.
Slots any_slots() {
  const auto end = *rc::gen::element<std::uint32_t>(5, 64, 65, 130, 100'000);
  Slots slots = *rc::gen::container<Slots>(rc::gen::inRange<std::uint32_t>(0, end));
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  if (*rc::gen::arbitrary<bool>()) return slots;
  // Slots of huge feature numbers do not ascend.
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  shuffle(slots.begin(), slots.end(), random);
  return slots;
}

RC_GTEST_PROP(BudgetSupport, KnowsThePlacesThatASearchFinds, ()) {
  const Slots slots = any_slots();
  const Support support(slots);
  RC_ASSERT(support.size() == slots.size());
  RC_ASSERT(support.slots() == slots);
  const std::uint32_t end = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end());
  std::vector<std::uint32_t> places(end + 200, Support::kNone);
  for (std::uint32_t i = 0; i < slots.size(); ++i) places[slots[i]] = i;
  for (std::uint32_t slot = 0; slot < places.size(); ++slot) {
    RC_ASSERT(support.place(slot) == places[slot]);
  }
}

TEST(BudgetSupport, KnowsTheLargestSlots) {
  const Support support({0, Support::kNone - 1});
  EXPECT_EQ(support.place(0), 0u);
  EXPECT_EQ(support.place(Support::kNone - 1), 1u);
  EXPECT_EQ(support.place(Support::kNone - 2), Support::kNone);
  EXPECT_EQ(Support().place(0), Support::kNone);
}

// Looks every slot of the row up in the list.
std::vector<Met> search(const Slots& slots, const OwnedRow& row, double unit) {
  std::vector<Met> found;
  for (std::size_t i = 0; i < row.slots.size(); ++i) {
    const auto at = std::find(slots.begin(), slots.end(), row.slots[i]);
    if (at == slots.end()) continue;
    found.push_back({static_cast<std::uint32_t>(at - slots.begin()), row.values[i] * unit});
  }
  std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.place < b.place; });
  return found;
}

void expect_met(std::span<const Met> got, const std::vector<Met>& expected) {
  RC_ASSERT(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(got[i].place == expected[i].place);
    RC_ASSERT(got[i].value == expected[i].value);
  }
}

RC_GTEST_PROP(BudgetSupportRows, MeetWhatASearchFinds, ()) {
  const Slots slots = any_slots();
  SupportRows rows(slots, 0.7, *rc::gen::arbitrary<bool>());
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<OwnedRow> all;
  for (std::uint64_t id = 0; id < 5; ++id) {
    OwnedRow& row = all.emplace_back(any_row(200, random, random.uniform()));
    row.id = 1000 * id;
    if (id % 2 == 1) std::reverse(row.slots.begin(), row.slots.end());
  }
  for (int visit = 0; visit < 15; ++visit) {
    const OwnedRow& row = all[random.below(all.size())];
    expect_met(rows.meet(row.row()), search(slots, row, 0.7));
  }
}

// A row that is remembered is not looked at again: its id says it all.
TEST(BudgetSupportRows, RememberOnlyIfTold) {
  OwnedRow row{{3, 5}, {1, 2}, 7};
  SupportRows remembering({5}, 1, true);
  SupportRows forgetting({5}, 1, false);
  remembering.meet(row.row());
  forgetting.meet(row.row());
  row.values = {10, 20};
  EXPECT_EQ(remembering.meet(row.row())[0].value, 2);
  EXPECT_EQ(forgetting.meet(row.row())[0].value, 20);
}

// What would take too much memory is found anew.
TEST(BudgetSupportRows, RememberSoMuchAndNoMore) {
  constexpr std::uint32_t kLong = 1 << 19;
  OwnedRow row;
  for (std::uint32_t slot = 0; slot < kLong; ++slot) row.slots.push_back(slot);
  row.values.assign(kLong, 1);
  SupportRows rows(row.slots, 1, true);
  for (row.id = 0; row.id < 3; ++row.id) rows.meet(row.row());
  row.values.assign(kLong, 2);
  for (row.id = 0; row.id < 3; ++row.id) {
    EXPECT_EQ(rows.meet(row.row()).back().value, row.id < 2 ? 1 : 2) << row.id;
  }
}

RC_GTEST_PROP(BudgetSupportRows, SumsAreThoseOfTheTerms, ()) {
  const auto terms = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000));
  std::vector<Met> met;
  for (const int term : terms) met.push_back({static_cast<std::uint32_t>(met.size()), 1.0 * term});
  double sum = 0;
  for (const Met& each : met) sum += (each.place + 1) * each.value;
  const auto weight_of = [](std::uint32_t place) { return place + 1.0; };
  RC_ASSERT(sum_over(met, false, weight_of) == sum);
  RC_ASSERT(sum_over(met, true, weight_of) == sum);
}

}  // namespace
}  // namespace thresh::support_rows_law
