// Models of many sizes, against fit() run by run.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "budget/budgets.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "tools/scratch.hpp"

namespace thresh::frontier_law {
namespace {

using Budgets = std::vector<std::uint64_t>;
using Points = std::vector<FrontierPoint>;

// Many features are of next to no use, and some labels are wrong.
DenseProblem noisy_rows(std::uint64_t seed, std::size_t rows = 150) {
  DenseProblem data = useful_rows(rows, 24, seed);
  Random random(seed + 7);
  for (double& y : data.y) y = random.uniform() < 0.15 ? -y : y;
  return data;
}

Options options_of(const std::string& solver) {
  Options options;
  options.solver = solver;
  options.passes = 12;
  options.holdout = 0.3;
  return options;
}

Options with_own(Options options, const std::string& name, const std::string& value) {
  options.solver_options[name] = value;
  return options;
}

const Budgets kBudgets = {1, 2, 4, 9, 24};

Points in_one_fit(const Problem& problem, Options options, const Settings& settings) {
  options.features = kBudgets.front();
  options.budgets.assign(kBudgets.begin() + 1, kBudgets.end());
  const FitResult result = fit(problem, options);
  Points points = {{{kBudgets.front(), result.last, settings}, result.model}};
  for (std::size_t i = 1; i < kBudgets.size(); ++i) {
    const Recorded& recorded = result.recorded.at(kBudgets.size() - 1 - i);
    points.push_back({{kBudgets[i], recorded.last, settings}, recorded.model});
  }
  return points;
}

Points in_a_fit_each(const Problem& problem, Options options, const Settings& settings = {}) {
  Points points;
  for (const std::uint64_t budget : kBudgets) {
    options.features = budget;
    const FitResult result = fit(problem, options);
    points.push_back({{budget, result.last, settings}, result.model});
  }
  return points;
}

// For each budget the model of the smallest loss among all that keep to it, the smallest first.
Points best_of(const std::vector<Points>& variants) {
  Points best;
  for (std::size_t i = 0; i < kBudgets.size(); ++i) {
    FrontierPoint point = variants.front().front();
    for (std::size_t j = 0; j <= i; ++j) {
      for (const Points& points : variants) {
        for (const FrontierPoint& other : points) {
          const bool better = *other.last.valid_loss < *point.last.valid_loss;
          if (other.budget == kBudgets[j] && better) point = other;
        }
      }
    }
    best.push_back(point);
    best.back().budget = kBudgets[i];
  }
  return best;
}

std::vector<Frontier> learn(const Problem& problem, const std::vector<Options>& solvers) {
  SelectObserver observer;
  return learn_frontiers(problem, solvers, kBudgets, observer);
}

void expect_points(const Points& got, const Points& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE("budget " + std::to_string(expected[i].budget));
    EXPECT_EQ(got[i].budget, expected[i].budget);
    EXPECT_EQ(got[i].settings, expected[i].settings);
    EXPECT_EQ(got[i].last.at.nonzeros, expected[i].last.at.nonzeros);
    EXPECT_EQ(got[i].last.valid_error, expected[i].last.valid_error);
    EXPECT_EQ(got[i].last.valid_loss, expected[i].last.valid_loss);
    EXPECT_EQ(got[i].last.valid_error_se, expected[i].last.valid_error_se);
    expect_same(got[i].model, expected[i].model);
  }
}

const Settings kRare = {{"beta", "0.1"}}, kFrequent = {{"beta", "1"}};

// A run for each ridge that held-out rows chose. None where the model had the lower loss before.
Points polished(const Problem& problem, Options options) {
  Options searched = options;
  searched.polish = true;
  searched.features = kBudgets.front();
  searched.budgets.assign(kBudgets.begin() + 1, kBudgets.end());
  const FitResult found = fit(problem, searched);
  EXPECT_EQ(found.polished.size(), kBudgets.size() + 1);  // and the constant model
  Points points;
  for (std::size_t i = 0; i < kBudgets.size(); ++i) {
    const std::optional<Polished>& fitted = found.polished.at(kBudgets.size() - 1 - i);
    if (!fitted) continue;
    const std::string text = fmt::format("{}", fitted->ridge);
    points.push_back(in_one_fit(problem, with_own(options, "ridge", text), {{"ridge", text}})[i]);
  }
  return points;
}

// Whether the mean loss of `a` is lower than that of `b` by more than a standard error of the
// differences.
bool is_clearly_better(const FrontierPoint& a, const FrontierPoint& b) {
  const std::vector<float>& of_a = a.last.row_scores->losses;
  const std::vector<float>& of_b = b.last.row_scores->losses;
  const auto n = static_cast<double>(of_a.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    mean += (static_cast<double>(of_b[i]) - static_cast<double>(of_a[i])) / n;
  }
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    squares += std::pow(static_cast<double>(of_b[i]) - static_cast<double>(of_a[i]) - mean, 2);
  }
  return mean > std::sqrt(squares) / n;
}

// The twin of `budget`: a run for each beta, and for each ridge that is clearly better.
std::vector<Points> all_settings(const Problem& problem, Options options) {
  options.score_rows = true;
  const Points rare = in_one_fit(problem, with_own(options, "beta", "0.1"), kRare);
  const Points frequent = in_one_fit(problem, with_own(options, "beta", "1"), kFrequent);
  Points clear;
  for (const FrontierPoint& point : polished(problem, options)) {
    const std::size_t i = static_cast<std::size_t>(
        std::find(kBudgets.begin(), kBudgets.end(), point.budget) - kBudgets.begin());
    const bool is_rare = *rare[i].last.valid_loss < *frequent[i].last.valid_loss;
    if (is_clearly_better(point, is_rare ? rare[i] : frequent[i])) clear.push_back(point);
  }
  return {rare, frequent, clear};
}

TEST(Frontier, EachBudgetGetsTheBestOfAllSettingsAndOfAllSmallerModels) {
  std::size_t rare = 0, frequent = 0, ridge = 0, smaller = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = to_problem(noisy_rows(seed));
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
  expect_points(learn(problem, {options})[0].points, best_of(all_settings(problem, options)));
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
