// Models of many sizes, against fit() run by run.

#include "select/frontier_twin.hpp"
#include "thresh/error.hpp"
#include "tools/scratch.hpp"

namespace thresh::frontier_law {
namespace {

TEST(Frontier, EachBudgetGetsTheBestOfAllSettingsAndOfAllSmallerModels) {
  std::size_t rare = 0, frequent = 0, ridge = 0, smaller = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    // 45 held-out rows, which are few, or 120.
    const Problem problem = to_problem(noisy_rows(seed, seed <= 10 ? 150 : 400));
    const Options options = options_of("budget");
    const std::vector<Frontier> got = learn(problem, {options});
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].solver, "budget");
    expect_points(got[0].points, best_of(all_settings(problem, options)));
    for (const FrontierPoint& point : got[0].points) {
      expect_within(point.model, point.budget);
      (point.settings == kRare ? rare : point.settings == kFrequent ? frequent : ridge) += 1;
      smaller += point.last.at.nonzeros < point.budget ? 1 : 0;
    }
  }
  EXPECT_GT(rare + frequent, 0u);  // or the test says nothing
  EXPECT_GT(ridge, 0u);
  EXPECT_GT(smaller, 0u);
}

// The choice is between all models, those with a higher loss than a smaller one among them.
TEST(Frontier, EveryModelThatWasMadeIsThereToBeChosen) {
  bool worse = false;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Problem problem = to_problem(noisy_rows(seed));
    const Options options = options_of("budget");
    Points all;
    for (const Points& points : all_settings(problem, options)) {
      all.insert(all.end(), points.begin(), points.end());
      for (std::size_t i = 1; i < points.size(); ++i) {
        worse = worse || *points[i].last.valid_loss > *points[i - 1].last.valid_loss;
      }
    }
    const std::vector<SizedResult> tried = learn(problem, {options})[0].tried;
    ASSERT_EQ(tried.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(tried[i].budget, all[i].budget);
      EXPECT_EQ(tried[i].settings, all[i].settings);
      EXPECT_EQ(tried[i].last.valid_error, all[i].last.valid_error);
      EXPECT_EQ(tried[i].last.valid_loss, all[i].last.valid_loss);
    }
  }
  EXPECT_TRUE(worse);  // or the test says nothing
}

TEST(Frontier, RowsOfAFileOfTheirOwnDecideAsWell) {
  Problem problem = to_problem(noisy_rows(3));
  problem.valid = to_problem(noisy_rows(4)).train;
  Options options = options_of("budget");
  options.holdout = 0;
  expect_points(learn(problem, {options})[0].points, best_of(all_settings(problem, options)));
}

TEST(Frontier, ABetaThatWasGivenIsTheOnlyOne) {
  for (const std::string beta : {"0.1", "0.5", "1"}) {
    const Problem problem = to_problem(noisy_rows(5));
    const Options options = with_own(options_of("budget"), "beta", beta);
    expect_points(learn(problem, {options})[0].points, best_of({in_one_fit(problem, options, {})}));
  }
}

// Nothing to judge by: every budget keeps its own model.
TEST(Frontier, WithoutHeldOutRowsItIsOneRun) {
  const Problem problem = to_problem(noisy_rows(6));
  Options options = options_of("budget");
  options.holdout = 0;
  const Points points = learn(problem, {options})[0].points;
  expect_points(points, in_one_fit(problem, options, {}));
  EXPECT_EQ(points.back().last.at.nonzeros, 24u);
}

TEST(Frontier, OtherSolversMakeARunForEachBudget) {
  for (const std::string solver : {"ftrl", "l0-sgd", "margin-perceptron"}) {
    SCOPED_TRACE(solver);
    const Problem problem = to_problem(noisy_rows(7));
    Options options = options_of(solver);
    options.lambda = 1e-3;
    const std::vector<Frontier> got = learn(problem, {options});
    EXPECT_EQ(got.at(0).solver, solver);
    expect_points(got[0].points, best_of({in_a_fit_each(problem, options)}));
  }
}

TEST(Frontier, SolversDoNotDisturbEachOther) {
  const Problem problem = to_problem(noisy_rows(8));
  const std::vector<Options> solvers = {options_of("l0-sgd"), options_of("budget"),
                                        options_of("ftrl"),
                                        with_own(options_of("budget"), "beta", "0.5")};
  const std::vector<Frontier> together = learn(problem, solvers);
  ASSERT_EQ(together.size(), solvers.size());
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    EXPECT_EQ(together[i].solver, solvers[i].solver);
    expect_points(together[i].points, learn(problem, {solvers[i]})[0].points);
  }
}

TEST(Frontier, ASoftmaxMakesARunForEachBudgetAndBeta) {
  const Problem problem = to_problem(three_classes(200, 24, 9));
  Options options = options_of("budget");
  options.multiclass = Multiclass::softmax;
  expect_points(learn(problem, {options})[0].points,
                best_of({in_a_fit_each(problem, with_own(options, "beta", "0.1"), kRare),
                         in_a_fit_each(problem, with_own(options, "beta", "1"), kFrequent)}));
}

TEST(Frontier, ClassesAndValuesAreLearnedInOneRun) {
  const Problem classes = to_problem(three_classes(200, 24, 9));
  expect_points(learn(classes, {options_of("budget")})[0].points,
                best_of(all_settings(classes, options_of("budget"))));
  DenseProblem values = noisy_rows(10);
  for (std::size_t i = 0; i < values.y.size(); ++i) values.y[i] = 3 * values.x[i][0] + values.y[i];
  Options options = options_of("budget");
  options.task = Task::regression;
  const Problem problem = to_problem(values);
  expect_points(learn(problem, {options})[0].points,
                best_of(all_settings(problem, options), options.task));
}

// A density would be a second budget; passes are those of a run of several budgets, 2 + 20 + 5
// stages and 3 for each budget, and few rows are shown until there are 1,000 in a stage.
TEST(Frontier, ForgetsADensityAndChoosesItsPasses) {
  for (const auto& [rows, passes] : {std::pair<std::size_t, std::uint64_t>{1100, 42}, {400, 126}}) {
    const Problem problem = to_problem(noisy_rows(11, rows));
    Options options = options_of("budget");
    options.passes = passes;
    const Points expected = best_of(all_settings(problem, options));
    options.passes = 0;
    options.density = 0.5;
    expect_points(learn(problem, {options})[0].points, expected);
  }
}

TEST(Frontier, ASolverThatDivergesHasNoPointsAndTheOthersHave) {
  Options options = options_of("fobos");
  options.loss = Loss::squared;
  options.schedule = Schedule::constant;
  options.eta = 1e9;
  const Problem problem = to_problem(noisy_rows(12));
  const std::vector<Frontier> frontiers = learn(problem, {options_of("budget"), options});
  EXPECT_EQ(frontiers[0].failure, "");
  expect_points(frontiers[0].points, learn(problem, {options_of("budget")})[0].points);
  EXPECT_TRUE(frontiers[1].failure.starts_with("diverged: ")) << frontiers[1].failure;
  EXPECT_TRUE(frontiers[1].points.empty());
}

// Losses that are no numbers cannot be compared, whatever the errors say.
TEST(Frontier, ALossThatIsNotFiniteIsAFailure) {
  Problem problem = to_problem(noisy_rows(3));
  DenseProblem far = noisy_rows(4);
  for (double& value : far.x[5]) value = 1e200;
  problem.valid = to_problem(far).train;
  Options options = options_of("budget");
  options.loss = Loss::squared;
  options.holdout = 0;
  const Frontier frontier = learn(problem, {options})[0];
  EXPECT_EQ(frontier.failure, "diverged: the loss on the held-out rows is not finite");
  EXPECT_TRUE(frontier.points.empty());
  EXPECT_TRUE(frontier.tried.empty());
}

TEST(Frontier, HeldOutRowsThatDoNotCountAreAFailure) {
  const ScratchDir dir;
  Options options = options_of("budget");
  std::string weights;
  for (std::uint64_t i = 0; i < 150; ++i) {
    weights += Random(options.seed, i).uniform() < options.holdout ? "0\n" : "1\n";
  }
  options.weights_file = dir.write("weights", weights);
  EXPECT_EQ(learn(to_problem(noisy_rows(3)), {options})[0].failure,
            "all held-out rows have weight zero");
}

TEST(Frontier, OptionsThatMakeNoSenseAreRefused) {
  Options options = options_of("budget");
  options.keep = {1, 2};  // the smallest budget is 1
  EXPECT_THROW(learn(to_problem(noisy_rows(12)), {options_of("ftrl"), options}), UsageError);
}

TEST(Frontier, AnInterruptionLeavesNothing) {
  Options options = options_of("budget");
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  EXPECT_THROW(learn(to_problem(noisy_rows(12)), {options}), Interrupted);
}

}  // namespace
}  // namespace thresh::frontier_law
