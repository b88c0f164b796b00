// Features selected by the weights of a ridge on all of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "sparse/random.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::prune_law {
namespace {

// 32 rows of orthogonal columns with values 1 and -1: Hadamard's matrix without its first column.
double hadamard(unsigned row, unsigned column) {
  return std::popcount(row & column) % 2 == 0 ? 1 : -1;
}

// The target is the sum of the columns times their effects. A column is written times its size.
std::string orthogonal(const std::vector<double>& effects, const std::vector<double>& sizes) {
  std::string text;
  for (unsigned row = 0; row < 32; ++row) {
    double target = 0;
    std::string columns;
    for (unsigned j = 0; j < effects.size(); ++j) {
      target += effects[j] * hadamard(row, j + 1);
      columns += fmt::format(" {}:{}", j + 1, sizes[j] * hadamard(row, j + 1));
    }
    text += fmt::format("{}{}\n", target, columns);
  }
  return text;
}

// 60 rows, 100 columns, of which ten matter and the last forty are small.
std::string wide_table() {
  Random random(11);
  std::string text;
  for (int i = 0; i < 60; ++i) {
    std::vector<double> x(100);
    for (double& value : x) value = random.normal();
    double sum = 0;
    for (int j = 0; j < 10; ++j) sum += x[static_cast<std::size_t>(j)];
    text += sum + random.normal() > 0 ? "1" : "-1";
    for (std::size_t j = 0; j < x.size(); ++j) {
      text += fmt::format(" {}:{}", j + 1, x[j] * (j < 60 ? 10 : 0.1));
    }
    text += "\n";
  }
  return text;
}

class Prune : public testing::Test {
 protected:
  static Options options(std::uint64_t features) {
    Options options = TrainOptions();
    options.features = features;
    return options;
  }
  static Options with_ridges(Options options, const std::string& all, const std::string& selected) {
    set_option(options, "prune", all);
    set_option(options, "ridge", selected);
    return options;
  }
  std::vector<std::uint64_t> selected(const std::string& text, Options options) {
    options.task = Task::regression;
    const FitResult result = fit(open_problem(dir.write("a.svm", text)), options);
    std::vector<std::uint64_t> features;
    for (const Coefficient& each : result.model.coefficients) features.push_back(each.index);
    return features;
  }
  ScratchDir dir;
};

using Features = std::vector<std::uint64_t>;

TEST_F(Prune, TakesTheLargestEffects) {
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(selected(text, with_ridges(options(3), "1", "0.1")), (Features{2, 4, 6}));
}

// A ridge holds back small columns, which in one unit are mostly noise.
TEST_F(Prune, PrefersLargeColumnsOfTheSameEffect) {
  const std::string text = orthogonal({1, 1, 1, 1, 1, 1, 1}, {1, 9, 1, 1, 9, 1, 1});
  EXPECT_EQ(selected(text, with_ridges(options(2), "1", "0.1")), (Features{2, 5}));
}

TEST_F(Prune, KeepsRequiredFeatures) {
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  Options kept = with_ridges(options(3), "1", "0.1");
  kept.keep = {5};
  EXPECT_EQ(selected(text, kept), (Features{2, 5, 6}));
}

// What held-out rows chose, a run with these settings repeats to the byte.
TEST_F(Prune, ARunWithTheChosenRidgesGivesTheSameModel) {
  const Problem problem = open_problem(dir.write("wide.svm", wide_table()));
  Options searched = options(50);
  searched.budgets = {80, 100};
  searched.holdout = 0.25;
  searched.polish = true;
  searched.score_rows = true;
  const FitResult found = fit(problem, searched);
  ASSERT_EQ(found.pruned.size(), 4U);  // three sizes and the constant model
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    ASSERT_TRUE(found.pruned[i].has_value());
    const Polished& pruned = *found.pruned[i];
    ASSERT_TRUE(pruned.prune.has_value());
    Options again = with_ridges(options(i == 0   ? 100
                                        : i == 1 ? 80
                                                 : 50),
                                fmt::format("{}", *pruned.prune), fmt::format("{}", pruned.ridge));
    again.holdout = 0.25;
    const FitResult result = fit(problem, again);
    const auto& got = result.model.coefficients;
    const auto& expected = pruned.model.coefficients;
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t j = 0; j < got.size(); ++j) {
      EXPECT_EQ(got[j].index, expected[j].index);
      EXPECT_EQ(got[j].weight, expected[j].weight);
    }
    EXPECT_EQ(result.last.valid_loss, pruned.last.valid_loss);
  }
}

TEST_F(Prune, IsNotTriedForMoreRowsThanColumns) {
  Options searched = options(3);
  searched.budgets = {5};
  searched.holdout = 0.25;
  searched.polish = true;
  searched.task = Task::regression;
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(fit(open_problem(dir.write("a.svm", text)), searched).pruned.empty());
}

TEST_F(Prune, NeedsARidgeAndTwoClasses) {
  const Problem problem = open_problem(dir.write("a.svm", wide_table()));
  Options alone = options(5);
  set_option(alone, "prune", "1");
  EXPECT_EQ(refusal_of([&] { fit(problem, alone); }), "--prune requires --ridge");
  const Problem classes = open_problem(dir.write("b.svm", "1 1:1\n2 2:1\n3 3:1\n1 1:2\n2 2:2\n"));
  EXPECT_EQ(refusal_of([&] { fit(classes, with_ridges(options(2), "1", "1")); }),
            "--prune does not support several classes");
}

}  // namespace
}  // namespace thresh::prune_law
