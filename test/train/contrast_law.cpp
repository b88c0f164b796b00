// A ridge that is weaker for features that tell the classes apart.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sparse/random.hpp"
#include "train/budget_fits.hpp"

namespace thresh::contrast_law {
namespace {

// Documents of ten words. A fifth of the 400 words belong to the positive class and a fifth to the
// other; such a word is three times as frequent in its class.
std::string documents(int rows, std::vector<std::string> labels = {"-1", "1"}) {
  Random random(5);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const std::size_t label = random.below(labels.size());
    std::vector<std::uint64_t> words;
    while (words.size() < 10) {
      const std::uint64_t word = 1 + random.below(400);
      const std::uint64_t kind = word % 5;
      const bool fits = kind >= 2 || kind == std::min<std::size_t>(label, 1);
      if (!fits && random.uniform() < 2.0 / 3) continue;
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    std::sort(words.begin(), words.end());
    text += labels[label];
    for (const std::uint64_t word : words) text += fmt::format(" {}:1", word);
    text += "\n";
  }
  return text;
}

std::vector<double> weights_of(const Model& model) {
  std::vector<double> weights;
  for (const Coefficient& each : model.coefficients) weights.push_back(each.weight);
  for (const auto& part : model.classes) {
    for (const Coefficient& each : part.coefficients) weights.push_back(each.weight);
  }
  return weights;
}

class Contrast : public BudgetFits {
 protected:
  static FitResult searched(const Problem& problem,
                            const Options& options = Contrast::options(20)) {
    return BudgetFits::searched(problem, options, {100, 400});
  }
  static Options by_hand(std::uint64_t features, const std::string& ridge) {
    Options by_hand = options(features);
    set_option(by_hand, "ridge", ridge);
    set_option(by_hand, "contrast", "true");
    return by_hand;
  }
  void repeats_the_choice(const std::string& text) {
    const Problem rows = problem(text);
    const FitResult found = searched(rows);
    ASSERT_EQ(found.contrasted.size(), 4U);         // three sizes and the constant model
    EXPECT_FALSE(found.contrasted[2].has_value());  // 20 features: the ridge hardly matters
    ASSERT_TRUE(found.contrasted[0].has_value());
    const Polished& polished = *found.contrasted[0];  // all words: a single run has the same ones
    const Settings settings = polished.options();
    EXPECT_EQ(settings.back().first, "contrast");
    Options again = by_hand(400, settings.front().second);
    again.holdout = 0.25;
    const FitResult result = fit(rows, again);
    EXPECT_EQ(weights_of(result.model).size(),
              400 * std::max<std::size_t>(1, result.model.classes.size()));
    EXPECT_EQ(result.last.valid_loss, polished.last.valid_loss);
    EXPECT_EQ(weights_of(result.model), weights_of(polished.model));
  }
};

// Of many rows the search fits from one ridge to the next, a run by hand from zero.
TEST_F(Contrast, OfManyRowsARunWithTheChosenRidgeGivesNearlyTheSameModel) {
  const Problem rows = problem(documents(4000));
  const FitResult found = searched(rows);
  ASSERT_TRUE(found.contrasted.at(0).has_value());
  const Polished& polished = *found.contrasted[0];
  Options again = by_hand(400, polished.options().front().second);
  again.holdout = 0.25;
  const FitResult result = fit(rows, again);
  EXPECT_NEAR(*result.last.valid_loss / *polished.last.valid_loss, 1, 1e-5);
  const std::vector<double> got = weights_of(polished.model), expected = weights_of(result.model);
  ASSERT_EQ(got.size(), expected.size());
  double off = 0, squares = 0;
  for (std::size_t j = 0; j < got.size(); ++j) {
    off += (got[j] - expected[j]) * (got[j] - expected[j]);
    squares += expected[j] * expected[j];
  }
  EXPECT_LT(off, 1e-5 * squares);
}

// So many that cores share the sums over them. There is nothing to choose, and nothing to go on
// from.
TEST_F(Contrast, APlainRidgeOfManyRowsMayBeGiven) {
  Options given = options(400);
  set_option(given, "ridge", "1");
  given.holdout = 0.1;
  const FitResult result = fit(problem(documents(30000)), given);
  EXPECT_EQ(weights_of(result.model).size(), 400U);
  EXPECT_LT(*result.last.valid_loss, 0.6);
}

TEST_F(Contrast, ARunWithTheChosenRidgeGivesTheSameModel) {
  repeats_the_choice(documents(900));
  repeats_the_choice(documents(900, {"1", "2", "3"}));
}

TEST_F(Contrast, IsChosenWhereItsLossIsLower) {
  Options judged = options(1);
  judged.features.reset();
  judged.holdout = 0.25;
  SelectObserver nobody;
  const Problem rows = problem(documents(900));
  const Frontier frontier = learn_frontiers(rows, {judged}, {20, 100, 390}, nobody).front();
  double with = 1, without = 1;  // the loss of 390 features
  for (const SizedResult& model : frontier.tried) {
    if (model.budget != 390) continue;
    double& lowest = model.settings.back().first == "contrast" ? with : without;
    lowest = std::min(lowest, *model.last.valid_loss);
  }
  EXPECT_LT(with, without);
  EXPECT_EQ(frontier.points.back().settings.back().first, "contrast");
  EXPECT_EQ(*frontier.points.back().last.valid_loss, with);
  TrainOptions all = options(390);
  all.holdout = 0.25;
  EXPECT_TRUE(train(rows, all).model.options.has("contrast"));
}

TEST_F(Contrast, IsForClassesAndNotForTables) {
  const std::string text = documents(900);
  EXPECT_FALSE(searched(problem(text)).contrasted.empty());
  Options regression = options(20);
  regression.task = Task::regression;
  EXPECT_TRUE(searched(problem(text), regression).contrasted.empty());
  std::string table;
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    table += i % 2 == 0 ? "1" : "-1";
    for (int j = 1; j <= 320; ++j) table += fmt::format(" {}:{:.2f}", j, 1 + random.uniform());
    table += "\n";
  }
  EXPECT_TRUE(searched(problem(table)).contrasted.empty());
}

TEST_F(Contrast, WhatItRefuses) {
  const Problem rows = problem(documents(100));
  Options alone = options(5);
  set_option(alone, "contrast", "true");
  EXPECT_EQ(refusal(rows, alone), "--contrast requires --ridge");
  Options pruned = by_hand(5, "1");
  set_option(pruned, "prune", "1");
  EXPECT_EQ(refusal(rows, pruned), "--contrast and --prune exclude each other");
  Options by_errors = by_hand(5, "1");
  set_option(by_errors, "fewest-errors", "true");
  EXPECT_EQ(refusal(rows, by_errors), "--contrast and --fewest-errors exclude each other");
  Options regression = by_hand(5, "1");
  regression.task = Task::regression;
  EXPECT_EQ(refusal(rows, regression), "--contrast requires classes");
}

}  // namespace
}  // namespace thresh::contrast_law
