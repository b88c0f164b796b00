// Rows narrowed to a few slots, against one entry after another; and the runs that use them, on
// several threads, against row by row.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "budget/owned_row.hpp"
#include "solvers/budget/narrowed_rows.hpp"
#include "thresh/fit.hpp"
#include "tools/problems.hpp"

namespace thresh::narrowed_rows_law {
namespace {

RC_GTEST_PROP(NarrowedRows, HaveTheseSlotsOnly, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto end = *rc::gen::element(1u, 70u, 400u);
  NarrowedRows narrowed;
  std::set<std::uint32_t> kept;
  for (int time = 0; time < 2; ++time) {
    if (*rc::gen::arbitrary<bool>()) {
      narrowed.clear();
      kept.clear();
    }
    const std::vector<std::uint32_t> more = any_row(end, random, 0.7).slots;
    narrowed.add(more);
    kept.insert(more.begin(), more.end());
    std::vector<OwnedRow> owned;
    // From a few rows on they are shared out.
    const auto count = *rc::gen::element<std::size_t>(0, 3, 300);
    for (std::size_t i = 0; i < count; ++i) owned.push_back(any_row(end + 80, random));
    std::vector<Row> rows;
    for (const OwnedRow& row : owned) rows.push_back(row.row());
    const std::span<const Row> got = narrowed.narrow(rows);
    RC_ASSERT(got.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < rows[i].size; ++k) {
        if (!kept.contains(rows[i].slots[k])) continue;
        RC_ASSERT(at < got[i].size);
        RC_ASSERT(got[i].slots[at] == rows[i].slots[k]);
        RC_ASSERT(got[i].values[at] == rows[i].values[k]);
        ++at;
      }
      RC_ASSERT(at == got[i].size);
      RC_ASSERT(got[i].label == rows[i].label && got[i].id == rows[i].id);
    }
  }
}

// Refits on cores of their own, and each row by row.
TEST(NarrowedRows, OfARunGiveTheModelsOfWholeRows) {
  struct Curious : Observer {
    std::uint64_t seen = 0;
    void on_progress(const Progress& at) override { seen = at.examples; }
    std::uint64_t wake_at() const override { return seen + 1; }
  } observer;
  const DenseProblem data = random_problem(1200, 120, 0.5, 5);
  Options options;
  options.solver = "budget";
  options.features = 10;
  options.budgets = {20, 40, 60, 80};
  options.betas = {0.1, 1};
  const FitResult shared = fit(to_problem(data), options);
  const FitResult by_row = fit(to_problem(data), options, nullptr, &observer);
  options.threads = 1;
  const FitResult alone = fit(to_problem(data), options);
  ASSERT_EQ(shared.recorded.size(), 14u);
  for (const FitResult* other : {&by_row, &alone}) {
    EXPECT_EQ(shared.model.to_bytes(), other->model.to_bytes());
    ASSERT_EQ(other->recorded.size(), shared.recorded.size());
    for (std::size_t i = 0; i < shared.recorded.size(); ++i) {
      EXPECT_EQ(shared.recorded[i].model.to_bytes(), other->recorded[i].model.to_bytes());
    }
  }
}

}  // namespace
}  // namespace thresh::narrowed_rows_law
