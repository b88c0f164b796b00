// AUC, F1 and RMSE of held-out rows, with their spread, and choices by them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "select/paired.hpp"
#include "sparse/random.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::measures_law {
namespace {

// Rows of two classes with weights 1 and 2. Margins are rounded, so that some are equal; the
// positive class has the larger ones by `shift` on average.
RowScores drawn_rows(std::uint64_t seed, int count, double shift) {
  Random random(seed);
  RowScores rows;
  for (int i = 0; i < count; ++i) {
    const double label = i % 4 == 0 ? 1 : -1;
    const double margin = std::round(4 * (random.normal() + shift * label)) / 4;
    rows.margins.push_back(static_cast<float>(margin));
    rows.labels.push_back(static_cast<float>(label));
    rows.weights.push_back(i % 3 == 0 ? 2 : 1);
    rows.misses.push_back(static_cast<float>(std::fabs(margin)));
    rows.losses.push_back(0);
  }
  return rows;
}

double weight(const RowScores& rows, std::size_t i) {
  return static_cast<double>(rows.weights[i]);
}

// The share of pairs in which the positive row has the larger margin.
double auc_by_pairs(const RowScores& rows) {
  double right = 0, all = 0;
  for (std::size_t i = 0; i < rows.margins.size(); ++i) {
    for (std::size_t j = 0; j < rows.margins.size(); ++j) {
      if (rows.labels[i] < 0 || rows.labels[j] > 0) continue;
      const double pair = weight(rows, i) * weight(rows, j);
      all += pair;
      if (rows.margins[i] > rows.margins[j]) right += pair;
      if (rows.margins[i] == rows.margins[j]) right += pair / 2;
    }
  }
  return right / all;
}

double f1_by_counts(const RowScores& rows) {
  double right = 0, predicted = 0, positive = 0;
  for (std::size_t i = 0; i < rows.margins.size(); ++i) {
    const bool says = rows.margins[i] > 0, is = rows.labels[i] > 0;
    right += says && is ? weight(rows, i) : 0;
    predicted += says ? weight(rows, i) : 0;
    positive += is ? weight(rows, i) : 0;
  }
  const double precision = right / predicted, recall = right / positive;
  return 2 * precision * recall / (precision + recall);
}

double rmse_by_sums(const RowScores& rows) {
  double squares = 0, all = 0;
  for (std::size_t i = 0; i < rows.misses.size(); ++i) {
    squares += weight(rows, i) * std::pow(static_cast<double>(rows.misses[i]), 2);
    all += weight(rows, i);
  }
  return std::sqrt(squares / all);
}

const std::vector<std::pair<Measure, std::function<double(const RowScores&)>>> kTwins = {
    {Measure::auc, [](const RowScores& rows) { return 1 - auc_by_pairs(rows); }},
    {Measure::f1, [](const RowScores& rows) { return 1 - f1_by_counts(rows); }},
    {Measure::rmse, rmse_by_sums}};

TEST(Measures, EqualTheirDefinitions) {
  for (const auto& [by, twin] : kTwins) {
    SCOPED_TRACE(static_cast<int>(by));
    const RowScores rows = drawn_rows(1, 60, 0.5);
    EXPECT_NEAR(measure(rows, by).value, twin(rows), 1e-6);
  }
}

TEST(Measures, AreTheMeansOfTheirParts) {
  for (const auto& [by, twin] : kTwins) {
    SCOPED_TRACE(static_cast<int>(by));
    const RowScores rows = drawn_rows(2, 60, 0.5);
    const Measured measured = measure(rows, by);
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < measured.parts.size(); ++i) {
      sum += weight(rows, i) * measured.parts[i];
      all += weight(rows, i);
    }
    EXPECT_NEAR(sum / all, measured.value, 1e-6);
  }
}

RowScores without(RowScores rows, std::size_t i) {
  for (auto* each : {&rows.margins, &rows.labels, &rows.weights, &rows.misses, &rows.losses}) {
    each->erase(each->begin() + static_cast<std::ptrdiff_t>(i));
  }
  return rows;
}

// The jackknife: how the difference changes if one row is left out.
TEST(Measures, HaveTheSpreadOfTheJackknife) {
  RowScores a = drawn_rows(3, 200, 0.3);
  RowScores b = drawn_rows(4, 200, 0.5);
  a.weights.assign(200, 1);
  b.weights.assign(200, 1);
  for (const auto& [by, twin] : kTwins) {
    SCOPED_TRACE(static_cast<int>(by));
    const Difference difference = difference_of(a, b, by, 1);
    EXPECT_NEAR(difference.mean, twin(a) - twin(b), 1e-6);
    double squares = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      const double left = twin(without(a, i)) - twin(without(b, i));
      squares += std::pow(left - difference.mean, 2);
    }
    EXPECT_NEAR(difference.se, std::sqrt(squares), 0.05 * difference.se);
    EXPECT_NEAR(difference_of(a, b, by, 4).se, 2 * difference.se, 1e-9);
  }
}

TEST(Measures, OfOneClassOrWithoutPredictionsAreTheWorst) {
  RowScores rows = drawn_rows(5, 20, 0);
  rows.margins.assign(20, -1);
  EXPECT_EQ(measure(rows, Measure::f1).value, 1);
  EXPECT_DOUBLE_EQ(measure(rows, Measure::auc).value, 0.5);
  rows.labels.assign(20, -1);
  EXPECT_EQ(measure(rows, Measure::auc).value, 0.5);
  EXPECT_EQ(measure(rows, Measure::f1).value, 1);
}

// 2% positives. Feature 1 tells which rows may be positive, feature 2 which of them are, not well
// enough to predict one: the error is the same with both or none, the AUC is not.
std::string rare_class() {
  Random random(7);
  std::string text;
  for (int i = 0; i < 6000; ++i) {
    const bool may = random.below(10) == 0;
    const bool likely = may && random.below(2) == 0;
    const bool positive = likely && random.below(3) == 0;
    text += fmt::format("{}{}{} {}:1\n", positive ? 1 : -1, may ? " 1:1" : "", likely ? " 2:1" : "",
                        3 + random.below(20));
  }
  return text;
}

class ChoiceBy : public testing::Test {
 protected:
  Trained chosen(AsGood by) {
    TrainOptions options;
    options.as_good = by;
    return train(open_problem(dir.write("a.svm", rare_class())), options);
  }
  ScratchDir dir;
};

TEST_F(ChoiceBy, AucSeesWhatTheErrorDoesNot) {
  EXPECT_EQ(chosen(AsGood::error).choice->chosen.budget, 0U);
  const Trained trained = chosen(AsGood::auc);
  EXPECT_GT(trained.choice->chosen.budget, 0U);
  const std::optional<double> auc = measured(trained.choice->chosen, AsGood::auc);
  ASSERT_TRUE(auc.has_value());
  EXPECT_GT(*auc, 0.9);
  EXPECT_FALSE(measured(trained.choice->chosen, AsGood::loss).has_value());
}

TEST_F(ChoiceBy, MeasuresNeedTheirTask) {
  EXPECT_EQ(refusal_of([&] { chosen(AsGood::rmse); }),
            "choosing a size by RMSE requires a regression");
  TrainOptions options;
  options.task = Task::regression;
  options.as_good = AsGood::auc;
  const Problem numbers = open_problem(dir.write("b.svm", rare_class()));
  EXPECT_EQ(refusal_of([&] { train(numbers, options); }),
            "choosing a size by AUC or F1 requires two classes");
}

}  // namespace
}  // namespace thresh::measures_law
