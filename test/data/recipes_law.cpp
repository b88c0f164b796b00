// Data that papers describe: Lemma 5 of Shalev-Shwartz & Tewari, their random features, and the
// probes of GISETTE.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/generated.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::recipes_law {
namespace {

std::string single_step(const SingleStepOptions& options, Generated* made = nullptr) {
  std::string text;
  const Generated summary = generate_single_step(options, append_to(text));
  if (made != nullptr) *made = summary;
  return text;
}

TEST(SingleStep, HasTheMeansThatTheProofNames) {
  Generated made;
  const std::string text = single_step({4000, 50, 3, 2.5}, &made);
  EXPECT_EQ(text, single_step({4000, 50, 3, 2.5}));
  EXPECT_NE(text, single_step({4000, 50, 4, 2.5}));
  const auto rows = rows_of(GeneratedText{{}, text, {}});
  ASSERT_EQ(rows.size(), 4000u);
  double agree = 0;
  for (const GeneratedRow& row : rows) {
    ASSERT_EQ(row.features.size(), 50u);
    for (const auto& [index, value] : row.features) {
      EXPECT_EQ(std::fabs(value), 1);
      agree += (value > 0) == row.positive() ? 1 : 0;
    }
  }
  EXPECT_NEAR(agree / (4000 * 50), 0.5 + 0.5 / 2.5, 0.005);
  EXPECT_EQ(made.truth.size(), 50u);
  EXPECT_DOUBLE_EQ(made.truth[7].second, 2.5 / 50);
  single_step({1, 0, 1, 2}, &made);
  EXPECT_EQ(made.features, 300u);
  EXPECT_EQ(refusal_of([] { single_step({10, 0, 1, 1.5}); }), "--norm must be between 2 and 1000");
}

// After s steps from 0 a weight vector within the ball has a loss of at least min(0.12, B^2/(16 s))
// above that of w_0, and so above the minimum.
TEST(SingleStep, OneCoordinateAtATimeIsAsSlowAsTheLemmaSays) {
  const double norm = 2;
  const ScratchDir dir;
  Generated made;
  dir.write("a.svm", single_step({3000, 0, 1, norm}, &made));
  const Problem problem = open_problem(dir.file("a.svm"));
  double of_truth = 0;  // C(w_0), with the paper's loss (a - y)^2
  for (const GeneratedRow& row :
       rows_of(GeneratedText{{}, ScratchDir::slurp(dir.file("a.svm")), {}})) {
    double margin = 0;
    for (const auto& [index, value] : row.features) margin += value * made.truth[index - 1].second;
    const double error = margin - (row.positive() ? 1 : -1);
    of_truth += error * error / 3000;
  }
  for (const char* solver : {"cd", "gcd", "scd"}) {
    for (const std::uint64_t steps : {1, 2, 5, 12, 25}) {  // 25: epsilon = 0.01
      SCOPED_TRACE(fmt::format("{} {}", solver, steps));
      Options options;
      options.solver = solver;
      options.loss = Loss::squared;
      options.lambda = 0.02;  // keeps the weights within the ball
      options.intercept = false;
      options.steps = steps;
      options.trace = TraceAt{};
      const FitResult result = fit(problem, options);
      double size = 0;
      for (const Coefficient& each : result.model.coefficients) size += std::fabs(each.weight);
      ASSERT_LE(size, norm);
      const double excess = 2 * (*result.last.objective - options.lambda * size) - of_truth;
      EXPECT_GE(excess, std::min(0.12, norm * norm / (16.0 * static_cast<double>(steps))));
    }
  }
}

// With many steps the same methods come as near as they like: the data are slow, not hopeless.
TEST(SingleStep, ManyStepsReachWhatFewCannot) {
  const ScratchDir dir;
  dir.write("a.svm", single_step({3000, 0, 1, 2}));
  Options options;
  options.solver = "cd";
  options.loss = Loss::squared;
  options.intercept = false;
  options.lambda = 1e-4;
  options.passes = 100;
  options.trace = TraceAt{};
  EXPECT_LT(2 * *fit(open_problem(dir.file("a.svm")), options).last.objective, 0.03);
}

TEST(Noise, DenseAndSparseFeaturesHaveTheirShares) {
  for (const bool dense : {false, true}) {
    NoiseFeatures noise({200, dense, 3}), again({200, dense, 3});
    std::map<double, double> counts;
    for (int i = 0; i < 500; ++i) {
      std::vector<std::pair<uint64_t, double>> first, second;
      noise.draw([&](uint64_t j, double value) { first.emplace_back(j, value); });
      again.draw([&](uint64_t j, double value) { second.emplace_back(j, value); });
      EXPECT_EQ(first, second);
      for (const auto& [j, value] : first) counts[value] += 1 / (500.0 * 200);
      EXPECT_TRUE(!dense || first.size() == 200);
    }
    EXPECT_NEAR(counts[1], dense ? 0.5 : 0.05, 0.005);
    EXPECT_NEAR(counts[-1], dense ? 0.5 : 0, 0.005);
  }
}

// Column by column: half are features or products, the other half their values in other orders.
TEST(Probes, AreTheInformativeFeaturesInOtherOrders) {
  const DenseColumns train = {{1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}, {2, 3, 5, 7, 11, 13}};
  ProbeRecipe recipe(train, 3, 1);
  const DenseColumns made = recipe.apply(train);
  ASSERT_EQ(made.size(), 6u);
  const DenseColumns informative = {
      {1, 2, 3, 4, 5, 6}, {2, 3, 5, 7, 11, 13}, {2, 6, 15, 28, 55, 78}};
  for (const auto& wanted : informative) {
    EXPECT_EQ(std::count(made.begin(), made.end(), wanted), 1);
    std::size_t same_values = 0;
    for (auto column : made) {
      std::sort(column.begin(), column.end());
      same_values += column == wanted ? 1 : 0;
    }
    EXPECT_EQ(same_values, 2u);
  }
  ProbeRecipe other(train, 3, 1);
  other.skip(6);
  EXPECT_EQ(other.apply(train), recipe.apply(train));
  EXPECT_TRUE(refusal_of([&] { ProbeRecipe(train, 4, 1); }).starts_with("only 2 features are"));
}

}  // namespace
}  // namespace thresh::recipes_law
