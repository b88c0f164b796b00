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

// The target is the sum of the columns times their effects. A column is written times its size, and
// has the index of its place times `step`: above 32, there are more columns than rows.
std::string orthogonal(const std::vector<double>& effects, const std::vector<double>& sizes,
                       unsigned step = 1) {
  std::string text;
  for (unsigned row = 0; row < 32; ++row) {
    double target = 0;
    std::string columns;
    for (unsigned j = 0; j < effects.size(); ++j) {
      target += effects[j] * hadamard(row, j + 1);
      columns += fmt::format(" {}:{}", step * (j + 1), sizes[j] * hadamard(row, j + 1));
    }
    text += fmt::format("{}{}\n", target, columns);
  }
  return text;
}

// 100 columns, of which ten matter and the last forty are small.
std::string table_of(int rows) {
  Random random(11);
  std::string text;
  for (int i = 0; i < rows; ++i) {
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
  void repeats_the_choice(int rows);
  ScratchDir dir;
};

using Features = std::vector<std::uint64_t>;

TEST_F(Prune, TakesTheLargestEffects) {
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(selected(text, with_ridges(options(3), "1", "0.1")), (Features{2, 4, 6}));
}

// With more columns than rows a ridge holds back small ones, which in one unit are mostly noise.
// Otherwise the unit of a column does not matter.
TEST_F(Prune, PrefersLargeColumnsIfThereAreFewRows) {
  const std::vector<double> effects = {1.1, 1, 1, 1.1, 1, 1, 1}, sizes = {1, 9, 1, 1, 9, 1, 1};
  EXPECT_EQ(selected(orthogonal(effects, sizes, 10), with_ridges(options(2), "1", "0.1")),
            (Features{20, 50}));
  EXPECT_EQ(selected(orthogonal(effects, sizes), with_ridges(options(2), "1", "0.1")),
            (Features{1, 4}));
}

// Four equal columns share an effect of 4 and have a weight of 1 each. Once some of them are
// dropped, the others have more than columns with an effect of 1.5.
TEST_F(Prune, FitsAgainAfterEachHalf) {
  std::string text;
  for (unsigned row = 0; row < 32; ++row) {
    const double s = hadamard(row, 1), a = hadamard(row, 2), b = hadamard(row, 4);
    text += fmt::format("{0} 1:{1} 2:{1} 3:{1} 4:{1} 5:{2} 6:{3} 7:{4} 8:{5}\n",
                        4 * s + 1.5 * a + 1.5 * b, s, a, b, hadamard(row, 8), hadamard(row, 16));
  }
  EXPECT_EQ(selected(text, with_ridges(options(1), "1", "0.1")), (Features{1}));
}

TEST_F(Prune, KeepsRequiredFeatures) {
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  Options kept = with_ridges(options(3), "1", "0.1");
  kept.keep = {5};
  EXPECT_EQ(selected(text, kept), (Features{2, 5, 6}));
}

// What held-out rows chose, a run with these settings repeats to the byte.
void Prune::repeats_the_choice(int rows) {
  const Problem problem = open_problem(dir.write("table.svm", table_of(rows)));
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

TEST_F(Prune, ARunWithTheChosenRidgesGivesTheSameModel) {
  repeats_the_choice(60);
  repeats_the_choice(300);
}

// 82 rows to learn from are fewer than the columns, all 110 are not. The last run has all rows, and
// must select in the same units.
TEST_F(Prune, HeldOutRowsCountAsRows) {
  repeats_the_choice(110);
}

// Its loss need not be lower by a standard error: few rows seldom show such a difference.
TEST_F(Prune, IsUsedIfItsLossIsLower) {
  const Problem problem = open_problem(dir.write("table.svm", table_of(60)));
  Options judged = options(1);
  judged.features.reset();
  judged.holdout = 0.25;
  SelectObserver nobody;
  const Frontier frontier = learn_frontiers(problem, {judged}, {50, 80, 100}, nobody).front();
  ASSERT_EQ(frontier.points.size(), 3U);
  std::size_t pruned = 0;
  for (const SizedResult& model : frontier.tried) {
    if (model.settings.back().first != "prune") continue;
    ++pruned;
    for (const FrontierPoint& point : frontier.points) {
      if (point.budget != model.budget) continue;
      EXPECT_LE(point.last.valid_loss, model.last.valid_loss);
    }
  }
  EXPECT_EQ(pruned, 3U);
}

TEST_F(Prune, IsNotTriedForFewColumns) {
  Options searched = options(3);
  searched.budgets = {5};
  searched.holdout = 0.25;
  searched.polish = true;
  searched.task = Task::regression;
  const std::string text = orthogonal({1, 5, -2, 4, 0.5, -6, 3}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_TRUE(fit(open_problem(dir.write("a.svm", text)), searched).pruned.empty());
}

TEST_F(Prune, NeedsARidgeAndTwoClasses) {
  const Problem problem = open_problem(dir.write("a.svm", table_of(60)));
  Options alone = options(5);
  set_option(alone, "prune", "1");
  EXPECT_EQ(refusal_of([&] { fit(problem, alone); }), "--prune requires --ridge");
  const Problem classes = open_problem(dir.write("b.svm", "1 1:1\n2 2:1\n3 3:1\n1 1:2\n2 2:2\n"));
  EXPECT_EQ(refusal_of([&] { fit(classes, with_ridges(options(2), "1", "1")); }),
            "--prune does not support several classes");
}

}  // namespace
}  // namespace thresh::prune_law
