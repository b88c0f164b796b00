// Sizes tried from small to large.

#include "select/upward.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "thresh/error.hpp"
#include "thresh/train.hpp"
#include "tools/problems.hpp"

namespace thresh::upward_law {
namespace {

using Budgets = std::vector<std::uint64_t>;

TEST(Upward, GroupsGrowTenfoldFromTwentyThousand) {
  using Groups = std::vector<Budgets>;
  EXPECT_EQ(size_groups({}), Groups{});
  EXPECT_EQ(size_groups({1, 20'000}), (Groups{{1, 20'000}}));
  EXPECT_EQ(size_groups({10, 20'001, 200'000, 200'001}),
            (Groups{{10}, {20'001, 200'000}, {200'001}}));
  EXPECT_EQ(size_groups({1'000'000'000'000}), (Groups{{1'000'000'000'000}}));
  Budgets all;
  for (const Budgets& group : size_groups(usual_budgets(16'777'216))) {
    all.insert(all.end(), group.begin(), group.end());
  }
  EXPECT_EQ(all, usual_budgets(16'777'216));
}

SizedResult model(std::uint64_t budget, const std::vector<float>& losses) {
  SizedResult result;
  result.budget = budget;
  auto rows = std::make_shared<RowScores>();
  rows->losses = losses;
  rows->misses.assign(losses.size(), 0);
  rows->weights.assign(losses.size(), 1);
  result.last.valid_loss =
      std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  result.last.valid_error = 0;
  result.last.row_scores = std::move(rows);
  return result;
}

TEST(Upward, TheLossFallsIfTheLargestSizeIsBetterByAStandardError) {
  Frontier tried;
  EXPECT_FALSE(still_falls(tried));
  tried.tried = {model(100, {1, 1, 1, 1})};
  EXPECT_TRUE(still_falls(tried)) << "of one size nothing is known";
  tried.tried.push_back(model(200, {0.9F, 0.8F, 0.9F, 0.8F}));
  EXPECT_TRUE(still_falls(tried));
  tried.tried.push_back(model(500, {0.9F, 0.8F, 0.9F, 0.8F}));
  EXPECT_FALSE(still_falls(tried)) << "equal";
  tried.tried.back() = model(500, {0, 1.5F, 0, 1.6F});
  EXPECT_FALSE(still_falls(tried)) << "better by less than a standard error";
  tried.tried.push_back(model(500, {0.5F, 0.4F, 0.5F, 0.4F}));
  EXPECT_TRUE(still_falls(tried)) << "the best of the largest";
  tried.tried.push_back(model(100, {0.1F, 0.1F, 0.1F, 0.1F}));
  EXPECT_FALSE(still_falls(tried)) << "a smaller one is best";
  tried.tried = {model(100, {1, 1}), model(200, {0.5F, 0.4F})};
  tried.failure = "diverged";
  EXPECT_FALSE(still_falls(tried));
}

TEST(Upward, LargerSizesAreWantedWhileTheLargestIsChosen) {
  Frontier tried;
  tried.tried = {model(100, {1, 1, 1, 1}), model(200, {0.9F, 0.8F, 0.9F, 0.8F})};
  EXPECT_TRUE(wants_larger(tried, tried.tried[1]));
  EXPECT_FALSE(wants_larger(tried, tried.tried[0])) << "100 features are as good";
  tried.tried.push_back(model(500, {0.9F, 0.8F, 0.9F, 0.8F}));
  EXPECT_FALSE(wants_larger(tried, tried.tried[2])) << "the loss falls no more";
}

// Where the loss was chosen for what it measures, small residuals are not few errors.
TEST(Upward, ResidualsDoNotOutweighALossThatWasChosen) {
  const auto with_misses = [](SizedResult result, float miss) {
    auto rows = std::make_shared<RowScores>(*result.last.row_scores);
    rows->misses.assign(rows->losses.size(), miss);
    result.last.row_scores = std::move(rows);
    return FrontierPoint{std::move(result), {}};
  };
  const std::vector<float> high(200, 1.0F), low(200, 0.5F);
  Frontier frontier;
  frontier.task = Task::regression;
  frontier.by_loss = true;
  frontier.points = {with_misses(model(100, high), 1), with_misses(model(200, low), 2)};
  for (FrontierPoint& point : frontier.points) point.last.valid_rows = 200;
  Frontier classes = frontier;
  use_the_best_within(frontier);
  EXPECT_EQ(frontier.points[1].last.valid_loss, 0.5);
  classes.task = Task::classification;
  use_the_best_within(classes);
  EXPECT_EQ(classes.points[1].last.valid_loss, 1.0);
}

// Rows whose label one feature decides; the others are rare, and far apart.
DenseProblem rows_of(std::size_t features) {
  return random_problem(400, features, 0.5, 7);
}

TEST(Upward, FeaturesAreCountedOnce) {
  const Problem problem = to_problem(rows_of(30));
  std::set<std::uint32_t> slots;
  for (std::uint64_t k = 0; k < problem.train->survey()->blocks; ++k) {
    const BlockPtr block = problem.train->block(k);
    slots.insert(block->slots.begin(), block->slots.end());
  }
  EXPECT_EQ(count_features(problem), slots.size());
  const std::atomic<bool> stop = true;
  EXPECT_THROW(count_features(problem, &stop), Interrupted);
}

TEST(Upward, SizesEndAtTheFeaturesThatOccur) {
  const Problem problem = to_problem(rows_of(30));
  TrainOptions options;
  options.dim = 5'000'000;
  const std::uint64_t seen = count_features(problem);
  Budgets budgets = usual_budgets_for(problem, options);
  EXPECT_EQ(budgets, usual_budgets(seen));
  options.dim = 900;  // few numbers: all of them
  EXPECT_EQ(usual_budgets_for(problem, options), usual_budgets(900));
}

}  // namespace
}  // namespace thresh::upward_law
