// A ridge that is weaker for features that tell the classes apart.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sparse/random.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

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

class Contrast : public testing::Test {
 protected:
  Problem problem(const std::string& text) { return open_problem(dir.write("a.svm", text)); }
  static TrainOptions options(std::uint64_t features) {
    TrainOptions options;
    options.features = features;
    return options;
  }
  static FitResult searched(const Problem& problem, Options options = Contrast::options(20)) {
    options.budgets = {100, 300};
    options.holdout = 0.25;
    options.polish = true;
    return fit(problem, options);
  }
  static Options by_hand(std::uint64_t features, const std::string& ridge) {
    Options by_hand = options(features);
    set_option(by_hand, "ridge", ridge);
    set_option(by_hand, "contrast", "true");
    return by_hand;
  }
  static std::string refusal(const Problem& problem, const Options& options) {
    return refusal_of([&] { fit(problem, options); });
  }
  void repeats_the_choice(const std::string& text) {
    const Problem rows = problem(text);
    const FitResult found = searched(rows);
    ASSERT_EQ(found.contrasted.size(), 4U);         // three sizes and the constant model
    EXPECT_FALSE(found.contrasted[2].has_value());  // 20 features: the ridge hardly matters
    for (const std::size_t i : {0, 1}) {
      ASSERT_TRUE(found.contrasted[i].has_value());
      const Polished& polished = *found.contrasted[i];
      const Settings settings = polished.options();
      EXPECT_EQ(settings.back().first, "contrast");
      Options again = by_hand(i == 0 ? 300 : 100, settings.front().second);
      again.holdout = 0.25;
      const FitResult result = fit(rows, again);
      ASSERT_EQ(result.model.coefficients.size(), polished.model.coefficients.size());
      for (std::size_t j = 0; j < polished.model.coefficients.size(); ++j) {
        EXPECT_EQ(result.model.coefficients[j].index, polished.model.coefficients[j].index);
        EXPECT_EQ(result.model.coefficients[j].weight, polished.model.coefficients[j].weight);
      }
      EXPECT_EQ(result.last.valid_loss, polished.last.valid_loss);
    }
  }
  ScratchDir dir;
};

TEST_F(Contrast, ARunWithTheChosenRidgeGivesTheSameModel) {
  repeats_the_choice(documents(900));
  repeats_the_choice(documents(900, {"1", "2", "3"}));
}

TEST_F(Contrast, IsChosenWhereItsLossIsClearlyLower) {
  const Problem rows = problem(documents(900));
  TrainOptions all = options(390);
  all.holdout = 0.25;
  const Trained trained = train(rows, all);
  EXPECT_TRUE(trained.model.options.has("contrast"));
  Options plain = options(390);
  set_option(plain, "ridge", "1");
  const Problem fresh = open_problem(dir.write("fresh.svm", documents(3000)));
  const auto log_loss = [&](const Model& model) {
    return *std::get<ClassificationMetrics>(evaluate(model, fresh)).log_loss;
  };
  EXPECT_LT(log_loss(trained.model), log_loss(fit(rows, plain).model));
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
  Options certified = by_hand(5, "1");
  certified.certify = true;
  EXPECT_EQ(refusal(rows, certified), "--certify: --contrast fits another objective");
}

}  // namespace
}  // namespace thresh::contrast_law
