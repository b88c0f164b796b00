// Several budgets in one run of the solver `budget`, interrupted ones, and runs over few rows.

#include "budget/budgets.hpp"

#include <gtest/gtest.h>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh::budgets_edge {
namespace {

const std::vector<Loss> kLosses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};

TEST(Budgets, EachHasItsModelTheLargestFirst) {
  for (const Loss loss : kLosses) {
    SCOPED_TRACE(name_of(loss));
    Options options = budget_options(2, {5, 20, 10});
    options.loss = loss;
    const FitResult result = fit(to_problem(useful_rows(600, 30, 1)), options);
    ASSERT_EQ(result.recorded.size(), 3u);
    const std::uint64_t budgets[] = {20, 10, 5};
    for (std::size_t i = 0; i < 3; ++i) {
      // All features are of some use, so each budget is spent.
      EXPECT_EQ(result.recorded[i].model.coefficients.size(), budgets[i]);
      EXPECT_EQ(result.recorded[i].last.at.nonzeros, budgets[i]);
      expect_within(result.recorded[i].model, budgets[i]);
    }
    EXPECT_EQ(result.model.coefficients.size(), 2u);
    EXPECT_EQ(result.last.at.nonzeros, 2u);
  }
}

// Recorded models are refitted while the selection goes on: each is nearly as good as one from a
// run of its own, whose stages are longer.
TEST(Budgets, ARecordedModelIsNearlyAsGoodAsThatOfItsOwnRun) {
  const DenseProblem data = useful_rows(1000, 30, 2);
  Problem problem = to_problem(data);
  problem.valid = problem.train;
  const FitResult several = fit(problem, budget_options(2, {4, 8, 16}));
  ASSERT_EQ(several.recorded.size(), 3u);
  for (const Recorded& recorded : several.recorded) {
    const FitResult own = fit(problem, budget_options(recorded.model.coefficients.size()));
    EXPECT_LE(*recorded.last.valid_loss, 1.2 * *own.last.valid_loss);
  }
  EXPECT_LT(*several.recorded[0].last.valid_loss, *several.last.valid_loss);
}

TEST(Budgets, TheSameRunGivesTheSameModels) {
  for (const bool classes : {false, true}) {
    const DenseProblem data = classes ? three_classes(400, 20, 3) : useful_rows(400, 20, 3);
    const Options options = budget_options(2, {4, 8});
    const FitResult one = fit(to_problem(data), options);
    const FitResult other = fit(to_problem(data), options);
    expect_same(one.model, other.model);
    ASSERT_EQ(one.recorded.size(), 2u);
    ASSERT_EQ(other.recorded.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) expect_same(one.recorded[i].model, other.recorded[i].model);
  }
}

// Progress is shown or not: nobody may tell from the model.
TEST(Budgets, AnObserverChangesNothing) {
  struct Curious : Observer {
    std::uint64_t seen = 0;
    void on_progress(const Progress& at) override { seen = at.examples; }
    std::uint64_t wake_at() const override { return seen + 7; }
  } observer;
  const DenseProblem data = useful_rows(300, 20, 4);
  const Options options = budget_options(3, {6});
  const FitResult watched = fit(to_problem(data), options, nullptr, &observer);
  const FitResult alone = fit(to_problem(data), options);
  expect_same(watched.model, alone.model);
  expect_same(watched.recorded.at(0).model, alone.recorded.at(0).model);
}

TEST(Budgets, TheEndIsTracedOnce) {
  Options options = budget_options(3, {6, 12});
  options.passes = 4;
  options.trace = TraceAt{TraceAt::Kind::examples, 100};
  const FitResult result = fit(to_problem(useful_rows(300, 20, 4)), options);
  ASSERT_EQ(result.trace.size(), 12u);
  EXPECT_EQ(result.trace.back().at.nonzeros, 3u);
}

TEST(Budgets, EveryClassKeepsToEach) {
  const FitResult result = fit(to_problem(three_classes(600, 20, 5)), budget_options(2, {4, 9}));
  ASSERT_EQ(result.recorded.size(), 2u);
  EXPECT_EQ(result.model.classes.size(), 3u);
  expect_within(result.recorded[0].model, 9);
  expect_within(result.recorded[1].model, 4);
  expect_within(result.model, 2);
  EXPECT_EQ(result.recorded[0].model.nonzeros(), 27u);
}

TEST(Budgets, ClassesRecordModelsNearlyAsGoodAsThoseOfTheirOwnRuns) {
  Problem problem = to_problem(three_classes(900, 20, 5));
  problem.valid = problem.train;
  const FitResult several = fit(problem, budget_options(2, {4, 9}));
  const std::uint64_t budgets[] = {9, 4};
  for (std::size_t i = 0; i < 2; ++i) {
    const FitResult own = fit(problem, budget_options(budgets[i]));
    EXPECT_LE(*several.recorded.at(i).last.valid_loss, 1.2 * *own.last.valid_loss);
  }
}

// The slope of a softmax depends on the margins of all classes, which models that are refitted
// beside the selection do not have.
TEST(Budgets, ASoftmaxTakesOneInARun) {
  Options options = budget_options(2, {4});
  options.multiclass = Multiclass::softmax;
  EXPECT_THROW(fit(to_problem(three_classes(60, 20, 5)), options), UsageError);
}

TEST(Budgets, OtherBetasAreForBudgetAndOneAgainstTheRest) {
  Options options;
  options.solver = "ftrl";
  options.betas = {1};
  EXPECT_THROW(check_options(options), UsageError);
  options.solver = "budget";
  options.features = 3;
  EXPECT_NO_THROW(check_options(options));
  options.multiclass = Multiclass::softmax;
  EXPECT_THROW(check_options(options), UsageError);
}

TEST(Budgets, EachClassRecordsWhatItWouldAlone) {
  const DenseProblem data = three_classes(400, 15, 6);
  const Options options = budget_options(2, {5});
  const FitResult all = fit(to_problem(data), options);
  for (std::size_t c = 0; c < 3; ++c) {
    DenseProblem against = data;
    for (double& y : against.y) y = y == static_cast<double>(c) ? 1 : -1;
    const FitResult one = fit(to_problem(against), options);
    const Coefficients expected = one.recorded.at(0).model.coefficients;
    const Coefficients got = all.recorded.at(0).model.classes[c].coefficients;
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t j = 0; j < got.size(); ++j) {
      EXPECT_EQ(got[j].index, expected[j].index);
      EXPECT_EQ(got[j].weight, expected[j].weight);
    }
  }
}

TEST(Budgets, AnInterruptedRunIsWithinThem) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t rows = 1; rows < 2000; rows += 37) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(rows));
      Options options = budget_options(2, {4, 9});
      options.loss = loss;
      const FitResult result = fit_interrupted(useful_rows(200, 15, 7), options, rows);
      EXPECT_EQ(result.status.outcome, Outcome::stopped);
      EXPECT_EQ(result.last.at.examples, rows);
      expect_within(result.model, 2);
      EXPECT_EQ(result.model.coefficients.size(), result.last.at.nonzeros);
      // Those that were ready, no others.
      ASSERT_LE(result.recorded.size(), 2u);
      for (std::size_t i = 0; i < result.recorded.size(); ++i) {
        EXPECT_EQ(result.recorded[i].model.coefficients.size(), i == 0 ? 9u : 4u);
      }
    }
  }
}

// Of hinge losses a class may meet a rare feature only in rows that cost it nothing any more: then
// it has fewer features than others after its first stage, fewer stages, and records earlier.
DenseProblem classes_of_different_plans() {
  DenseProblem data = three_classes(120, 40, 8);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    for (std::size_t j = 6; j < 40; ++j) data.x[i][j] = (i * 7 + j) % 60 == 0 ? 0.5 : 0;
    for (std::size_t j = 0; j < 6; ++j) data.x[i][j] = 0;
    data.x[i][i % 3] = 4;
  }
  return data;
}

TEST(Budgets, AnInterruptedRunOfClassesIsWithinThem) {
  for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge}) {
    for (std::uint64_t rows = 1; rows < 1200; rows += 11) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(rows));
      Options options = budget_options(2, {3, 4, 5});
      options.loss = loss;
      const FitResult result = fit_interrupted(classes_of_different_plans(), options, rows);
      expect_within(result.model, 2);
      const std::uint64_t budgets[] = {5, 4, 3};
      ASSERT_LE(result.recorded.size(), 3u);
      for (std::size_t i = 0; i < result.recorded.size(); ++i) {
        expect_within(result.recorded[i].model, budgets[i]);
      }
    }
  }
}

// Fewer steps than stages: several end with the same row.
TEST(Budgets, AFewStepsAreEnoughForAllStages) {
  for (const Loss loss : kLosses) {
    for (std::uint64_t steps = 1; steps < 45; ++steps) {
      SCOPED_TRACE(std::string(name_of(loss)) + " " + std::to_string(steps));
      Options options = budget_options(2, {4, 9});
      options.loss = loss;
      options.steps = steps;
      const FitResult result = fit(to_problem(useful_rows(50, 15, 9)), options);
      ASSERT_EQ(result.recorded.size(), 2u);
      expect_within(result.recorded[0].model, 9);
      expect_within(result.recorded[1].model, 4);
      expect_within(result.model, 2);
    }
  }
}

// 20 passes, as the solver has 20 stages; where a pass has under 1,000 rows, so many more that
// 20,000 rows are shown, but no row more than 15 times in a stage.
TEST(Budgets, TheSolverChoosesItsPasses) {
  const std::pair<std::size_t, std::uint64_t> expected[] = {
      {3, 20 * 15}, {60, 20 * 15}, {90, 20 * 12}, {500, 40}, {999, 40}, {1000, 20}, {1500, 20}};
  for (const auto& [rows, passes] : expected) {
    Options options = budget_options(3);
    options.passes = 0;
    const DenseProblem data = useful_rows(rows, 6, 10);
    if (std::count(data.y.begin(), data.y.end(), 1) % static_cast<long>(rows) == 0) continue;
    const FitResult result = fit(to_problem(data), options);
    EXPECT_EQ(result.last.at.examples, passes * rows) << rows;
    EXPECT_EQ(result.last.at.expected_examples, passes * rows) << rows;
    EXPECT_EQ(result.status.outcome, Outcome::passes_spent);
    expect_same(result.model, fit(to_problem(data), options).model);
    options.passes = passes;  // left to the solver is the same as asked for
    expect_same(result.model, fit(to_problem(data), options).model);
  }
}

TEST(Budgets, OtherSolversChooseTheirPassesWhateverTheRows) {
  Options options;
  options.solver = "fobos";
  options.passes = 0;
  EXPECT_EQ(fit(to_problem(useful_rows(50, 6, 11)), options).last.at.examples, 500u);
}

}  // namespace
}  // namespace thresh::budgets_edge
