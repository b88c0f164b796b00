// The solver budget with its features on several ranks: the model of one process, to the bit.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cluster/shares.hpp"
#include "cluster/sliced_runs.hpp"
#include "solvers/budget/common_features.hpp"
#include "solvers/budget/share_out.hpp"
#include "thresh/train.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::cluster_budget {
namespace {

// Of few steps: each of the first ones is an exchange.
Options budget_of(std::uint64_t features, std::uint64_t slices = kSlices) {
  Options options;
  options.solver = "budget";
  options.features = features;
  options.passes = 2;
  if (slices > 0) options.solver_options["slices"] = std::to_string(slices);
  return options;
}

void expect_same(const std::string& path, const Options& options) {
  const std::string alone = text_of(fit(open_problem(path), options).model);
  for (const std::size_t ranks : {2, 3, 4}) {
    EXPECT_EQ(learned_by(ranks, path, options, kSlices), alone) << ranks << " ranks";
  }
}

class ClusterBudget : public ::testing::Test {
 protected:
  ScratchDir dir;
  std::string path = dir.write("a.svm", words(200, 2000, 2, 1));
};

RC_GTEST_PROP(ClusterBudgetCut, IsThatOfAllScoresTogether, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(0, 40);
  std::vector<double> all;
  for (const int score : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 30))) {
    all.push_back(score * 0.1);
  }
  std::vector<double> copy = all;
  const double expected = cut_for(n, copy);
  ThreadRanks(3).run([&](Comm& comm) {
    const FeatureMap map(share_of(comm.rank(), comm, 8));
    std::vector<double> mine;
    for (std::size_t j = comm.rank(); j < all.size(); j += 3) mine.push_back(all[j]);
    RC_ASSERT(cut_anywhere(map, n, mine) == expected);
  });
}

TEST_F(ClusterBudget, AnyNumberOfRanksLearnsTheSameModel) {
  for (const std::uint64_t features : {1, 20, 600, 5000}) {
    SCOPED_TRACE(features);
    expect_same(path, budget_of(features));
  }
}

TEST_F(ClusterBudget, WithOtherLosses) {
  for (const Loss loss : {Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    Options options = budget_of(20);
    options.loss = loss;
    expect_same(path, options);
  }
  Options options = budget_of(20);
  options.task = Task::regression;
  const std::string numbers = dir.write("n.svm", words(150, 300, 0, 5));
  for (const Loss loss : {Loss::squared, Loss::huber}) {
    options.loss = loss;
    expect_same(numbers, options);
  }
}

TEST_F(ClusterBudget, WithOtherRowsAndOptions) {
  const std::string many = dir.write("many.svm", words(1100, 3000, 2, 2));  // none is remembered
  Options options = budget_of(30);
  options.passes = 1;
  expect_same(many, options);
  options = budget_of(25);
  options.holdout = 0.2;
  options.solver_options["beta"] = "0.05";
  expect_same(path, options);
  options = budget_of(25);
  options.intercept = false;
  options.trace = TraceAt{};
  expect_same(path, options);
  options = budget_of(25);
  options.density = 0.01;
  options.features.reset();
  options.order = Order::sequential;
  expect_same(path, options);
  const std::string classes = dir.write("c.svm", words(150, 1000, 3, 3));
  expect_same(classes, budget_of(25));
}

// A row that is far too long counts for less, wherever its entries are.
TEST_F(ClusterBudget, WithARowThatIsTooLong) {
  const std::string text = words(150, 3000, 2, 4) + "+1 7:1e7 8:1e7 9:2e7\n";
  const std::string far = dir.write("far.svm", text);
  const Options options = budget_of(20);
  const FitResult alone = fit(open_problem(far), options);
  ASSERT_EQ(alone.warnings.size(), 1U);
  EXPECT_EQ(alone.warnings[0].find("row 151 is"), 0U) << alone.warnings[0];
  expect_same(far, options);
}

// With another order of sums the same features are found, nearly always.
TEST_F(ClusterBudget, LearnsNearlyWhatIsLearnedWithout) {
  const Model plain = fit(open_problem(path), budget_of(20, 0)).model;
  for (const std::uint64_t slices : {1, 13}) {
    const Model sliced = fit(open_problem(path), budget_of(20, slices)).model;
    EXPECT_NEAR(sliced.intercept, plain.intercept, 1e-6);
    ASSERT_EQ(sliced.coefficients.size(), plain.coefficients.size());
    for (std::size_t k = 0; k < plain.coefficients.size(); ++k) {
      EXPECT_EQ(sliced.coefficients[k].index, plain.coefficients[k].index);
      EXPECT_NEAR(sliced.coefficients[k].weight, plain.coefficients[k].weight, 1e-6);
    }
  }
}

TEST_F(ClusterBudget, ATableIsRefused) {
  const std::string table = dir.write("t.svm", as_text(rounding_problem(100, 20, 3)));
  const std::string expected =
      "--slices: budget would bring the columns of this table to one scale, which is not divided "
      "yet (give --scale max, rms or none)";
  EXPECT_EQ(refusal_of([&] { fit(open_problem(table), budget_of(5)); }), expected);
  EXPECT_EQ(refusal_of([&] { learned_by(2, table, budget_of(5), kSlices); }), expected);
}

}  // namespace
}  // namespace thresh::cluster_budget
