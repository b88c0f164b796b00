// The choice between models by their scores on the same rows.

#include <gtest/gtest.h>

#include <algorithm>

#include "sparse/random.hpp"
#include "thresh/select.hpp"

namespace thresh::choice_law {
namespace {

struct Scores {
  double loss, miss;
};

// A model of this size with these scores, one per row.
SizedResult model_of(std::uint64_t budget, const std::vector<Scores>& rows) {
  auto scores = std::make_shared<RowScores>();
  double loss = 0;
  double misses = 0;
  for (const Scores& row : rows) {
    scores->losses.push_back(static_cast<float>(row.loss));
    scores->misses.push_back(static_cast<float>(row.miss));
    scores->weights.push_back(1);
    loss += row.loss;
    misses += row.miss;
  }
  SizedResult model;
  model.budget = budget;
  model.last.valid_loss = loss / static_cast<double>(rows.size());
  model.last.valid_error = misses / static_cast<double>(rows.size());
  model.last.valid_error_se = 1;  // not used
  model.last.row_scores = std::move(scores);
  return model;
}

// 100 rows with this loss, of which the first `misses` are wrong.
std::vector<Scores> rows_of(double loss, int misses) {
  std::vector<Scores> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({loss, i < misses ? 1.0 : 0.0});
  return rows;
}

std::uint64_t chosen(std::vector<SizedResult> tried, AsGood as_good,
                     std::optional<SizedResult> constant = std::nullopt) {
  Frontier frontier;
  frontier.tried = std::move(tried);
  frontier.constant = std::move(constant);
  return smallest_near_best(frontier, as_good).budget;
}

// Two models that are wrong on different rows may differ by chance. A model that is wrong on the
// same rows and some more does not: 6 misses are 2.5 standard errors of their difference.
TEST(Choice, TheDifferenceOnTheSameRowsDecides) {
  const SizedResult best = model_of(9, rows_of(1, 20));
  EXPECT_EQ(chosen({model_of(3, rows_of(1, 26)), best}, AsGood::error), 9u);
  EXPECT_EQ(chosen({model_of(3, rows_of(1, 22)), best}, AsGood::error), 3u);
  std::vector<Scores> elsewhere = rows_of(1, 26);
  std::reverse(elsewhere.begin(), elsewhere.end());
  EXPECT_EQ(chosen({model_of(3, elsewhere), best}, AsGood::error), 3u);
}

TEST(Choice, RepeatedScoresOfARowAreNotIndependent) {
  Frontier frontier;
  frontier.tried = {model_of(3, rows_of(1, 26)), model_of(9, rows_of(1, 20))};
  EXPECT_EQ(smallest_near_best(frontier).budget, 9u);
  frontier.repeats = 2;  // 50 rows, twice each: 6 misses are 1.8 standard errors
  EXPECT_EQ(smallest_near_best(frontier).budget, 3u);
}

// The model of the lowest loss is the best, unless another one makes clearly fewer errors: here 6
// fewer are 2.5 standard errors.
TEST(Choice, ClearlyFewerErrorsOutweighTheLoss) {
  Frontier frontier;
  frontier.tried = {model_of(3, rows_of(1, 26)), model_of(4, rows_of(1.2, 20)),
                    model_of(5, rows_of(1.1, 19))};
  EXPECT_EQ(best_of_all(frontier, AsGood::both).budget, 5u);
  EXPECT_EQ(best_of_all(frontier, AsGood::loss).budget, 3u);
  frontier.tried.pop_back();
  EXPECT_EQ(best_of_all(frontier, AsGood::both).budget, 4u);
  frontier.tried.back() = model_of(4, rows_of(1.2, 23));
  EXPECT_EQ(best_of_all(frontier, AsGood::both).budget, 3u) << "1.7 standard errors";
  frontier.tried.back() = model_of(4, rows_of(1.2, 20));
  frontier.task = Task::regression;
  EXPECT_EQ(best_of_all(frontier, AsGood::both).budget, 4u) << "only |residuals| count";
}

// All losses of a model are equal, so that their differences have no standard error.
TEST(Choice, ALossThatIsHigherByAFewPercentOfTheGainWillDo) {
  const SizedResult constant = model_of(0, rows_of(2, 20));
  const SizedResult best = model_of(9, rows_of(1, 20));
  const SizedResult near = model_of(3, rows_of(1.009, 20)), far = model_of(3, rows_of(1.011, 20));
  EXPECT_EQ(chosen({near, best}, AsGood::both, constant), 3u);
  EXPECT_EQ(chosen({far, best}, AsGood::both, constant), 9u);
  EXPECT_EQ(chosen({near, best}, AsGood::loss, constant), 9u);
  EXPECT_EQ(chosen({near, best}, AsGood::error, constant), 0u);
  EXPECT_EQ(chosen({far, best}, AsGood::both), 3u);  // without a constant model by error only
}

TEST(Choice, OfTwoBestModelsFarApartTheLowerLossIsTaken) {
  const SizedResult constant = model_of(0, rows_of(2, 50));
  const SizedResult few_errors = model_of(3, rows_of(1.5, 10));
  const SizedResult low_loss = model_of(9, rows_of(1, 40));
  EXPECT_EQ(chosen({few_errors, low_loss}, AsGood::both, constant), 9u);
}

// One row decides an RMSE, not the mean of the residuals.
TEST(Choice, AnExtremeRowDoesNotDecideARegression) {
  std::vector<Scores> large, small;
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const double residual = i == 0 ? 1000 : 1 + 0.1 * random.uniform();
    large.push_back({residual * residual / 2, residual});
    const double other = i == 0 ? 999 : 2 + 0.1 * random.uniform();
    small.push_back({other * other / 2, other});
  }
  const std::vector<SizedResult> tried = {model_of(1, small), model_of(5, large)};
  EXPECT_EQ(chosen(tried, AsGood::loss), 1u);
  EXPECT_EQ(chosen(tried, AsGood::error), 5u);
  Frontier frontier;
  frontier.tried = tried;
  EXPECT_EQ(best_of_all(frontier, AsGood::loss).budget, 1u);
  frontier.task = Task::regression;
  EXPECT_EQ(best_of_all(frontier, AsGood::both).budget, 5u);
  // Of one size the model with the smaller residuals is taken.
  for (SizedResult& model : frontier.tried) model.budget = 5;
  frontier.tried[1].settings = {{"ridge", "1"}};
  EXPECT_EQ(smallest_near_best(frontier, AsGood::both).settings.size(), 1u);
}

}  // namespace
}  // namespace thresh::choice_law
