// Tables on one scale: against plain sums, and what models owe their users then.

#include "data/feed/feature_scales.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "budget/budgets.hpp"
#include "sparse/feature_map.hpp"
#include "tools/problems.hpp"
#include "train/setup.hpp"

namespace thresh::table_scales_oracle {
namespace {

constexpr std::size_t kRows = 400;

// What a feature is, by number: near zero; far from it; large; seldom there; always the same.
DenseProblem table(std::uint64_t seed, std::size_t rows = kRows) {
  Random random(seed);
  DenseProblem data;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    const double rare = random.uniform() < 0.3 ? 3 + random.normal() : 0;
    data.x.push_back({a, 2000 + 3 * b, 1e6 * c, rare, 42, random.uniform() < 0.9 ? 50 + a : 0});
    data.y.push_back(a - b + c + 0.5 * rare + 0.3 * random.normal() > 0 ? 1 : -1);
  }
  return data;
}

std::vector<std::vector<double>> rows_of(RowSource& source, std::size_t features) {
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < source.survey()->blocks; ++k) {
    const BlockPtr block = source.block(k);
    for (std::size_t i = 0; i < block->rows(); ++i) {
      std::vector<double>& x = rows.emplace_back(features);
      const Row row = block->row(i);
      for (std::size_t e = 0; e < row.size; ++e) x[row.slots[e]] = row.values[e];
      EXPECT_TRUE(std::is_sorted(row.slots, row.slots + row.size));
      EXPECT_EQ(std::count(row.values, row.values + row.size, 0.0), 0);
    }
  }
  return rows;
}

Options plain_budget(std::uint64_t features) {
  Options options = budget_options(features);
  options.passes = 0;
  return options;
}

// The largest hundredth left out, by sorting.
double usual_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  values.resize(values.size() -
                static_cast<std::size_t>(std::ceil(static_cast<double>(values.size()) / 100)));
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> apart(std::vector<double> values, double from) {
  for (double& value : values) value = std::fabs(value - from);
  return values;
}

// The formulas of table_scales.hpp, one column after the other.
TEST(TableScales, AreThoseOfTheFormulas) {
  const DenseProblem data = table(1);
  const std::size_t d = data.x[0].size();
  std::vector<double> centres(d), shares(d), sizes(d), varying;
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> all, there;
    for (const auto& x : data.x) {
      all.push_back(x[j]);
      if (x[j] != 0) there.push_back(x[j]);
    }
    const double mean = usual_mean(all);
    const bool far = std::fabs(mean) > 2.5 * usual_mean(apart(all, mean));
    centres[j] = far ? mean : 0;
    shares[j] = far ? 1 : static_cast<double>(there.size()) / static_cast<double>(all.size());
    sizes[j] = usual_mean(apart(far ? all : there, centres[j]));
    if (sizes[j] < 1e-9) sizes[j] = 0;
    if (sizes[j] > 0) varying.push_back(sizes[j]);
  }
  EXPECT_EQ(std::count_if(centres.begin(), centres.end(), [](double c) { return c != 0; }), 3);
  std::sort(varying.begin(), varying.end());
  const double unit = varying[varying.size() / 2];
  const Problem problem = scaled_for_solver(to_problem(data), plain_budget(2));
  ASSERT_TRUE(problem.scales);
  const auto rows = rows_of(*problem.train, d);
  ASSERT_EQ(rows.size(), data.x.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double scale = std::sqrt(shares[j] * std::pow(sizes[j] / unit, 2) + (1 - shares[j]));
      const double expected = sizes[j] > 0 ? (data.x[i][j] - centres[j]) / scale : 0;
      EXPECT_NEAR(rows[i][j], expected, 1e-9 * (1 + std::fabs(expected))) << i << " " << j;
    }
  }
}

TEST(TableScales, OnlyTablesHaveThem) {
  const Options budget = plain_budget(2);
  EXPECT_FALSE(scaled_for_solver(to_problem(random_problem(300, 100, 0.1, 1)), budget).scales);
  EXPECT_TRUE(scaled_for_solver(to_problem(random_problem(300, 100, 0.6, 1)), budget).scales);
  Options other;
  other.solver = "fobos";
  EXPECT_FALSE(scaled_for_solver(to_problem(table(1)), other).scales);
  Problem plain = to_problem(table(1));
  plain.never_scale = true;
  EXPECT_FALSE(scaled_for_solver(plain, budget).scales);
}

// However far apart and large values are, and wherever a constant ends: rows stay finite.
TEST(TableScales, NothingBecomesInfinite) {
  DenseProblem data = table(4, 3000);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    data.x[i][0] *= 1e-300;
    data.x[i][2] = i % 2 == 0 ? 1e308 : -1e308;
    data.x[i][4] = i + 1 < data.x.size() ? 1e-320 : 5;
  }
  const Problem problem = scaled_for_solver(to_problem(data), plain_budget(2));
  ASSERT_TRUE(problem.scales);
  for (const auto& row : rows_of(*problem.train, data.x[0].size())) {
    for (const double value : row) EXPECT_TRUE(std::isfinite(value));
  }
}

// Without an intercept nothing could make up for what was subtracted.
TEST(TableScales, NothingIsCentredWithoutAnIntercept) {
  Options options = plain_budget(2);
  EXPECT_FALSE(scaled_for_solver(to_problem(table(1)), options).scales->centres().empty());
  options.intercept = false;
  EXPECT_TRUE(scaled_for_solver(to_problem(table(1)), options).scales->centres().empty());
}

// Units and zero points are conventions: a model must not depend on them.
TEST(TableScales, UnitsAndZeroPointsDoNotMatter) {
  DenseProblem near = useful_rows(kRows, 8, 1);
  Random random(3);
  for (auto& x : near.x) {
    for (double& value : x) value = value != 0 ? value : 0.1 * random.normal();
  }
  DenseProblem far = near;
  for (auto& x : far.x) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = (x[j] + (j % 2 == 0 ? 50 : 0)) * std::pow(10, static_cast<double>(j) - 3);
    }
  }
  const Model a = fit(to_problem(near), plain_budget(4)).model;
  const Model b = fit(to_problem(far), plain_budget(4)).model;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto margin = [i](const Model& model, const DenseProblem& data) {
      double sum = model.intercept;
      for (const Coefficient& each : model.coefficients) {
        sum += each.weight * data.x[i][each.index - 1];
      }
      return sum;
    };
    differ += (margin(a, near) > 0) != (margin(b, far) > 0) ? 1 : 0;
  }
  EXPECT_LE(differ, kRows / 50);
}

// The model is for rows as they are: it classifies these as the solver did its own.
TEST(TableScales, ModelsAreForRowsAsTheyAre) {
  for (const bool classes : {false, true}) {
    DenseProblem data = table(2, 1200);
    if (classes) {
      for (std::size_t i = 0; i < data.y.size(); ++i) {
        data.y[i] = data.y[i] > 0 ? 1 + (data.x[i][0] > 0 ? 1 : 0) : 0;
      }
    }
    Options options = plain_budget(5);
    options.holdout = 0.3;
    const FitResult result = fit(to_problem(data), options);
    EXPECT_LT(*result.last.valid_error, 0.15);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      double best = -1e300, label = 0;
      const auto judge = [&](double intercept, const Coefficients& part, double value) {
        double sum = intercept;
        for (const Coefficient& each : part) sum += each.weight * data.x[i][each.index - 1];
        if (sum > best) {
          best = sum;
          label = value;
        }
      };
      for (const ClassPart& part : result.model.classes) {
        judge(part.intercept, part.coefficients, part.label);
      }
      if (!classes) {
        judge(result.model.intercept, result.model.coefficients, 1);
        if (best <= 0) label = -1;
      }
      wrong += label != data.y[i] ? 1 : 0;
    }
    EXPECT_LT(static_cast<double>(wrong) / static_cast<double>(data.x.size()), 0.15);
  }
}

// Started from a model, a run begins with its margins, whatever was centred.
TEST(TableScales, AStartIsTheModelThatItStartsFrom) {
  Options options = plain_budget(5);
  const FitResult first = fit(to_problem(table(3)), options);
  Problem problem = to_problem(table(3));
  problem.valid = problem.train;
  options.passes = 0;
  options.steps = 1;
  const FitResult second = fit(problem, options, &first.model);
  EXPECT_LT(*second.last.valid_error, 0.15);
}

}  // namespace
}  // namespace thresh::table_scales_oracle
