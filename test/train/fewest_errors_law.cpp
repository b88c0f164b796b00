// A few features selected by the errors that they leave, where those with the lowest loss never
// predict the rare class.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sparse/random.hpp"
#include "train/budget_fits.hpp"

namespace thresh::fewest_errors_law {
namespace {

// One row in twenty is positive. Feature 1 is in a third of all rows and in nearly all positive
// ones, so it lowers the loss most, but positive rows are a minority there, too. Each of features 2
// to 4 is in a few rows, of which nine in ten are positive.
std::string rare_class(int rows) {
  Random random(5);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const bool positive = random.uniform() < 0.05;
    const bool decides = random.uniform() < (positive ? 0.5 : 0.003);
    text += positive ? "1" : "-1";
    if (random.uniform() < (positive ? 0.95 : 0.3)) text += " 1:1";
    if (decides) text += fmt::format(" {}:1", 2 + random.below(3));
    for (int j = 5; j < 12; ++j) {
      if (random.uniform() < 0.1) text += fmt::format(" {}:1", j);
    }
    text += "\n";
  }
  return text;
}

class FewestErrors : public BudgetFits {
 protected:
  static FitResult searched(const Problem& problem,
                            const Options& options = FewestErrors::options(1)) {
    return BudgetFits::searched(problem, options, {3, 40});
  }
  static Options by_hand(std::uint64_t features, const std::string& ridge) {
    Options by_hand = options(features);
    set_option(by_hand, "ridge", ridge);
    set_option(by_hand, "fewest-errors", "true");
    return by_hand;
  }
};

std::vector<std::uint64_t> features_of(const Model& model) {
  std::vector<std::uint64_t> features;
  for (const Coefficient& each : model.coefficients) features.push_back(each.index);
  return features;
}

TEST_F(FewestErrors, FindsFeaturesThatDecide) {
  const Problem rows = problem(rare_class(8000));
  Options by_loss = options(1);
  set_option(by_loss, "ridge", "1");
  EXPECT_EQ(features_of(fit(rows, by_loss).model), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(features_of(fit(rows, by_hand(3, "1")).model), (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST_F(FewestErrors, ARunWithTheChosenRidgeGivesTheSameModel) {
  const Problem rows = problem(rare_class(8000));
  const FitResult found = searched(rows);
  ASSERT_EQ(found.by_errors.size(), 4U);         // three sizes and the constant model
  EXPECT_FALSE(found.by_errors[0].has_value());  // 12 features leave as few errors by loss
  for (const std::size_t i : {1, 2}) {
    ASSERT_TRUE(found.by_errors[i].has_value());
    const Polished& polished = *found.by_errors[i];
    const Settings settings = polished.options();
    EXPECT_EQ(settings.back().first, "fewest-errors");
    Options again = by_hand(i == 1 ? 3 : 1, settings.front().second);
    again.holdout = 0.25;
    const FitResult result = fit(rows, again);
    EXPECT_EQ(features_of(result.model), features_of(polished.model));
    for (std::size_t j = 0; j < polished.model.coefficients.size(); ++j) {
      EXPECT_EQ(result.model.coefficients[j].weight, polished.model.coefficients[j].weight);
    }
    EXPECT_EQ(result.last.valid_loss, polished.last.valid_loss);
  }
}

TEST_F(FewestErrors, AreChosenWhereTheyAreClearlyFewer) {
  const Problem rows = problem(rare_class(8000));
  const Trained trained = train(rows, options(3));
  EXPECT_EQ(features_of(trained.model), (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_TRUE(trained.model.options.has("fewest-errors"));
  TrainOptions by_loss = options(3);
  by_loss.as_good = AsGood::loss;
  const Model model = train(rows, by_loss).model;
  EXPECT_EQ(model.coefficients.front().index, 1U);
  EXPECT_FALSE(model.options.has("fewest-errors"));
}

TEST_F(FewestErrors, AreCountedOnlyAmongManyRowsOfTwoClasses) {
  EXPECT_TRUE(searched(problem(rare_class(1300))).by_errors.empty());
  EXPECT_FALSE(searched(problem(rare_class(1400))).by_errors.empty());
  Options regression = options(1);
  regression.task = Task::regression;
  EXPECT_TRUE(searched(problem(rare_class(8000)), regression).by_errors.empty());
}

TEST_F(FewestErrors, WhatItRefuses) {
  const Problem rows = problem(rare_class(300));
  Options alone = options(5);
  set_option(alone, "fewest-errors", "true");
  EXPECT_EQ(refusal(rows, alone), "--fewest-errors requires --ridge");
  Options pruned = by_hand(5, "1");
  set_option(pruned, "prune", "1");
  EXPECT_EQ(refusal(rows, pruned),
            "--fewest-errors and --prune select in different ways; give one of them");
  EXPECT_EQ(refusal(rows, by_hand(33, "1")), "--fewest-errors is for at most 32 features");
  Options regression = by_hand(5, "1");
  regression.task = Task::regression;
  EXPECT_EQ(refusal(rows, regression), "--fewest-errors requires two classes");
  EXPECT_EQ(refusal(problem("1 1:1\n2 2:1\n3 3:1\n1 1:2\n"), by_hand(1, "1")),
            "--fewest-errors requires two classes");
  EXPECT_EQ(error_of([&] { fit(problem("1 1:1\n-1 2:1\n1 1:2\n"), by_hand(1, "1")); }),
            "--fewest-errors needs at least 100 rows");
}

}  // namespace
}  // namespace thresh::fewest_errors_law
