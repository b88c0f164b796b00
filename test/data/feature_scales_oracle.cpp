// Learning from scaled features against learning from rows that were scaled by hand.

#include "data/feed/feature_scales.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sparse/feature_map.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"
#include "tools/problems.hpp"

namespace thresh::feature_scales_oracle {
namespace {

Problem scaled_problem(const DenseProblem& data, FeatureScale kind) {
  Problem problem = to_problem(data);
  problem.scales = std::make_shared<const FeatureScales>(kind, *problem.train);
  problem.train = scaled_rows(problem.train, problem.scales);
  return problem;
}

std::vector<double> scales_by_hand(const DenseProblem& data, FeatureScale kind) {
  std::vector<double> scales;
  for (std::size_t j = 0; j < data.features; ++j) {
    double largest = 0, squares = 0;
    for (const auto& x : data.x) {
      largest = std::max(largest, std::fabs(x[j]));
      squares += x[j] * x[j];
    }
    const double rms = std::sqrt(squares / static_cast<double>(data.x.size()));
    scales.push_back(largest == 0 ? 1 : kind == FeatureScale::max ? largest : rms);
  }
  return scales;
}

// Features on scales far apart.
DenseProblem spread_out(DenseProblem data) {
  for (auto& x : data.x) {
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] *= std::pow(10.0, static_cast<double>(j % 7) - 3);
  }
  return data;
}

RC_GTEST_PROP(FeatureScales, AreThoseOfTheColumns, ()) {
  const DenseProblem data = spread_out(any_problem());
  const auto kind = *rc::gen::element(FeatureScale::max, FeatureScale::rms);
  const Problem problem = to_problem(data);
  const FeatureScales scales(kind, *problem.train);
  const std::vector<double> truth = scales_by_hand(data, kind);
  for (std::uint32_t j = 0; j < data.features; ++j) {
    const double slack = kind == FeatureScale::max ? 0 : 1e-12 * truth[j];
    RC_ASSERT(std::fabs(scales.at(problem.features->slot(j)) - truth[j]) <= slack);
  }
}

// Columns of most rows get mean 0 and deviation 1, rare ones deviation 1.
TEST(FeatureScales, StandardIsTheDeviationAroundTheMean) {
  DenseProblem data = spread_out(random_problem(300, 12, 0.9, 3));
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    data.x[i][0] = 1950 + static_cast<double>(i % 60);  // far from zero
    data.x[i][1] = 7.25;                                // constant
    data.x[i][2] = i % 10 == 0 ? 3 : 0;                 // rare
  }
  Problem problem = to_problem(data);
  problem.scales = std::make_shared<const FeatureScales>(FeatureScale::standard, *problem.train,
                                                         std::function<void()>(),
                                                         problem.features->identity_end());
  std::vector<double> sums(data.features), squares(data.features);
  const auto rows = scaled_rows(problem.train, problem.scales);
  for (std::size_t k = 0; const BlockPtr block = rows->block(k); ++k) {
    for (std::size_t i = 0; i < block->rows(); ++i) {
      const Row row = block->row(i);
      for (std::size_t e = 0; e < row.size; ++e) {
        sums[problem.features->id(row.slots[e])] += row.values[e];
        squares[problem.features->id(row.slots[e])] += row.values[e] * row.values[e];
      }
    }
  }
  const auto n = static_cast<double>(data.x.size());
  for (std::size_t j = 0; j < data.features; ++j) {
    if (j == 1) {
      EXPECT_EQ(sums[j], 7.25 * n) << "a constant stays";
      continue;
    }
    const double mean = sums[j] / n;
    EXPECT_NEAR(squares[j] / n - mean * mean, 1, 1e-9) << j;
    EXPECT_EQ(std::fabs(mean) < 1e-9, j != 2) << j << " " << mean;
  }
}

// The optimum of l1 is that for columns standardised by hand.
TEST(FeatureScales, StandardGivesTheL1OptimumOfStandardisedColumns) {
  const DenseProblem data = spread_out(random_problem(200, 8, 1.0, 5));
  DenseProblem by_hand = data;
  std::vector<double> deviations;
  for (std::size_t j = 0; j < data.features; ++j) {
    double mean = 0, squares = 0;
    for (const auto& x : data.x) mean += x[j] / static_cast<double>(data.x.size());
    for (const auto& x : data.x) squares += (x[j] - mean) * (x[j] - mean);
    deviations.push_back(std::sqrt(squares / static_cast<double>(data.x.size())));
    for (auto& x : by_hand.x) x[j] = (x[j] - mean) / deviations.back();
  }
  Options options;
  options.solver = "l1";
  options.lambda = 0.02;
  options.passes = 1000;
  const Problem problem = with_scale(to_problem(data), FeatureScale::standard, nullptr);
  const Model found = fit(problem, options).model;
  const Model wanted = fit(to_problem(by_hand), options).model;
  ASSERT_FALSE(wanted.coefficients.empty());
  ASSERT_EQ(found.coefficients.size(), wanted.coefficients.size());
  for (std::size_t i = 0; i < found.coefficients.size(); ++i) {
    const std::size_t j = wanted.coefficients[i].index - (wanted.zero_based ? 0 : 1);
    EXPECT_EQ(found.coefficients[i].index, wanted.coefficients[i].index);
    EXPECT_NEAR(found.coefficients[i].weight * deviations[j], wanted.coefficients[i].weight, 1e-4);
  }
  options.intercept = false;
  EXPECT_EQ(refusal_of([&] { fit(problem, options); }),
            "--scale standard needs an intercept, which makes up for the means");
}

// Weights are those for rows as they are, bit for bit, whoever learns.
TEST(FeatureScales, EverySolverLearnsAsFromRowsScaledByHand) {
  const DenseProblem data = spread_out(random_problem(200, 20, 0.4, 11));
  for (const FeatureScale kind : {FeatureScale::max, FeatureScale::rms}) {
    const Problem problem = scaled_problem(data, kind);
    DenseProblem by_hand = data;
    for (auto& x : by_hand.x) {
      for (std::uint32_t j = 0; j < x.size(); ++j) {
        x[j] /= problem.scales->at(problem.features->slot(j));
      }
    }
    for_each_way([&](const SolverInfo& info, const Options& options) {
      const FitResult result = fit(problem, options);
      const FitResult twin = fit(plain_problem(by_hand), options);
      ASSERT_EQ(result.model.coefficients.size(), twin.model.coefficients.size()) << info.name;
      EXPECT_GT(nonzeros_of(result.model), 0U) << info.name;
      for (std::size_t i = 0; i < twin.model.coefficients.size(); ++i) {
        const Coefficient& of_scaled = twin.model.coefficients[i];
        const auto slot = problem.features->slot(of_scaled.index - 1);
        EXPECT_EQ(result.model.coefficients[i].index, of_scaled.index);
        EXPECT_EQ(result.model.coefficients[i].weight, of_scaled.weight / problem.scales->at(slot));
      }
      EXPECT_EQ(result.model.intercept, twin.model.intercept);
      EXPECT_EQ(result.model.options.at("scale").text(), name_of(kind));
    });
  }
}

// Scales that are powers of two change no digit, back and forth: a run goes on as the twin does.
TEST(FeatureScales, AStartFromAModelIsScaledToo) {
  DenseProblem data = random_problem(200, 10, 0.5, 4);
  for (auto& x : data.x) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] != 0) x[j] = std::copysign(std::ldexp(1.0, static_cast<int>(3 * j)), x[j]);
    }
  }
  DenseProblem signs = data;
  for (auto& x : signs.x) {
    for (double& value : x) value = value == 0 ? 0 : std::copysign(1, value);
  }
  Options options;
  options.passes = 2;
  const Problem scaled = scaled_problem(data, FeatureScale::max), plain = to_problem(signs);
  const Model first = fit(scaled, options).model, twin = fit(plain, options).model;
  const Model second = fit(scaled, options, &first).model, other = fit(plain, options, &twin).model;
  ASSERT_EQ(second.coefficients.size(), other.coefficients.size());
  for (std::size_t i = 0; i < other.coefficients.size(); ++i) {
    const auto j = static_cast<int>(other.coefficients[i].index - 1);
    EXPECT_EQ(std::ldexp(second.coefficients[i].weight, 3 * j), other.coefficients[i].weight);
  }
}

TEST(FeatureScales, SquaresNeedNoDouble) {
  DenseProblem data;
  data.features = 3;
  data.x = {{3e300, 4e-300, 0}, {4e300, 3e-300, 5e-324}, {0, 0, 0}, {0, 0, 0}};
  data.y = {1, -1, 1, -1};
  const Problem problem = to_problem(data);
  const FeatureScales scales(FeatureScale::rms, *problem.train);
  EXPECT_DOUBLE_EQ(scales.at(0), 2.5e300);
  EXPECT_DOUBLE_EQ(scales.at(1), 2.5e-300);
  EXPECT_GT(scales.at(2), 0);
  // A weight for values of 5e-324 is no double.
  data.x = {{5e-324}, {-5e-324}, {5e-324}, {-5e-324}};
  data.features = 1;
  const Problem tiny = scaled_problem(data, FeatureScale::max);
  EXPECT_NE(error_of([&] { fit(tiny, Options()); }).find("feature 1"), std::string::npos);
}

// A value that vanishes beside the largest of its feature is none.
TEST(FeatureScales, RowsHaveNoZeros) {
  DenseProblem data;
  data.features = 2;
  data.x = {{1e300, 1}, {1e-300, 1}};
  data.y = {1, -1};
  const Problem problem = scaled_problem(data, FeatureScale::max);
  const BlockPtr block = problem.train->block(0);
  ASSERT_EQ(block->rows(), 2U);
  EXPECT_EQ(block->row(0).size, 2U);
  ASSERT_EQ(block->row(1).size, 1U);
  EXPECT_EQ(block->row(1).slots[0], problem.features->slot(1));
}

}  // namespace
}  // namespace thresh::feature_scales_oracle
