// A selection refuses what no run can have saved.

#include <gtest/gtest.h>

#include "solvers/budget/selection.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Stages that were over once had no end, in a run with a damaged number of steps.
TEST(BudgetSelection, RefusesMoreStagesThanItHas) {
  Options options;
  options.solver = "budget";
  options.loss = Loss::logistic;
  options.features = 3;
  options.steps = 100;
  const SolverSetup setup{options, solver_named("budget")};
  for (const std::uint64_t stage : {kStages, kStages + 1}) {
    Archive made;
    std::uint64_t saved = stage, from = 0, until = 0;
    std::vector<Stage> plan;
    made(saved, plan, from, until);
    const std::string bytes = made.take();
    Archive read(bytes);
    Selection selection(setup, 1);
    if (stage == kStages) {
      EXPECT_NO_THROW(selection.archive(read));
    } else {
      EXPECT_THROW(selection.archive(read), Error);
    }
  }
}

}  // namespace
}  // namespace thresh
