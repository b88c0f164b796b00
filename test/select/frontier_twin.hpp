// The twin of learn_frontiers(): fit() run by run, and a comparison of all that comes of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "budget/budgets.hpp"
#include "thresh/select.hpp"

namespace thresh::frontier_law {

using Budgets = std::vector<std::uint64_t>;
using Points = std::vector<FrontierPoint>;

// Many features are of next to no use, and some labels are wrong.
inline DenseProblem noisy_rows(std::uint64_t seed, std::size_t rows = 150) {
  DenseProblem data = useful_rows(rows, 24, seed);
  Random random(seed + 7);
  for (double& y : data.y) y = random.uniform() < 0.15 ? -y : y;
  return data;
}

inline Options options_of(const std::string& solver) {
  Options options;
  options.solver = solver;
  options.passes = 12;
  options.holdout = 0.3;
  return options;
}

inline Options with_own(Options options, const std::string& name, const std::string& value) {
  options.solver_options[name] = value;
  return options;
}

inline const Budgets kBudgets = {1, 2, 4, 9, 24};

inline Points in_one_fit(const Problem& problem, Options options, const Settings& settings) {
  options.features = kBudgets.front();
  options.budgets.assign(kBudgets.begin() + 1, kBudgets.end());
  const FitResult result = fit(problem, options);
  Points points = {{{kBudgets.front(), result.last, settings}, result.model}};
  for (std::size_t i = 1; i < kBudgets.size(); ++i) {
    const Recorded& recorded = result.recorded.at(kBudgets.size() - 1 - i);
    points.push_back({{kBudgets[i], recorded.last, settings}, recorded.model});
  }
  return points;
}

inline Points in_a_fit_each(const Problem& problem, Options options,
                            const Settings& settings = {}) {
  Points points;
  for (const std::uint64_t budget : kBudgets) {
    options.features = budget;
    const FitResult result = fit(problem, options);
    points.push_back({{budget, result.last, settings}, result.model});
  }
  return points;
}

inline std::vector<Frontier> learn(const Problem& problem, const std::vector<Options>& solvers) {
  SelectObserver observer;
  return learn_frontiers(problem, solvers, kBudgets, observer);
}

inline void expect_points(const Points& got, const Points& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE("budget " + std::to_string(expected[i].budget));
    EXPECT_EQ(got[i].budget, expected[i].budget);
    EXPECT_EQ(got[i].settings, expected[i].settings);
    EXPECT_EQ(got[i].last.at.nonzeros, expected[i].last.at.nonzeros);
    EXPECT_EQ(got[i].last.valid_error, expected[i].last.valid_error);
    EXPECT_EQ(got[i].last.valid_loss, expected[i].last.valid_loss);
    EXPECT_EQ(got[i].last.valid_error_se, expected[i].last.valid_error_se);
    expect_same(got[i].model, expected[i].model);
  }
}

inline const Settings kRare = {{"beta", "0.1"}}, kFrequent = {{"beta", "1"}};

// A run for each of these fits, the largest first, with the ridges that held-out rows chose. Some
// sizes have none: the model had the lower loss before, or there are too few columns to prune.
inline Points repeated(const Problem& problem, const Options& options,
                       const std::vector<std::optional<Polished>>& fits) {
  Points points;
  for (std::size_t i = 0; i < kBudgets.size() && !fits.empty(); ++i) {
    const std::optional<Polished>& fitted = fits.at(kBudgets.size() - 1 - i);
    if (!fitted) continue;
    Settings settings = {{"ridge", fmt::format("{}", fitted->ridge)}};
    if (fitted->prune) settings.emplace_back("prune", fmt::format("{}", *fitted->prune));
    Options again = options;
    for (const auto& [name, value] : settings) again = with_own(again, name, value);
    points.push_back(in_one_fit(problem, again, settings)[i]);
  }
  return points;
}

// The loss of each row; of a regression |residual|. Empty if nobody scored single rows.
inline std::vector<float> row_scores(const FrontierPoint& point, Task task) {
  if (!point.last.row_scores) return {};
  return task == Task::regression ? point.last.row_scores->misses : point.last.row_scores->losses;
}

inline double score(const FrontierPoint& point, Task task) {
  const std::vector<float> rows = row_scores(point, task);
  if (rows.empty() || task == Task::classification) return *point.last.valid_loss;
  double sum = 0;
  for (const float row : rows) sum += static_cast<double>(row);
  return sum / static_cast<double>(rows.size());
}

// Whether the mean of `a` is lower than that of `b` by more than some standard errors of the
// differences.
inline bool is_lower(const std::vector<float>& a, const std::vector<float>& b, double errors) {
  const auto n = static_cast<double>(a.size());
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean += (static_cast<double>(b[i]) - static_cast<double>(a[i])) / n;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += std::pow(static_cast<double>(b[i]) - static_cast<double>(a[i]) - mean, 2);
  }
  return mean > errors * std::sqrt(squares) / n;
}

inline bool is_clearly_better(const FrontierPoint& a, const FrontierPoint& b, Task task) {
  return is_lower(row_scores(a, task), row_scores(b, task), 1);
}
inline bool has_fewer_errors(const FrontierPoint& a, const FrontierPoint& b) {
  if (!a.last.row_scores || !b.last.row_scores) return false;
  return is_lower(a.last.row_scores->misses, b.last.row_scores->misses, 2);
}

// For each budget the model of the lowest score, or that of the smaller budget if it is not worse;
// among fewer than 100 rows, if it is clearly better. Clearly fewer errors outweigh the score.
inline Points best_of(const std::vector<Points>& variants, Task task = Task::classification) {
  Points best;
  for (const std::uint64_t budget : kBudgets) {
    std::optional<FrontierPoint> own;
    for (const Points& points : variants) {
      for (const FrontierPoint& point : points) {
        const bool better = !own || score(point, task) < score(*own, task);
        if (point.budget == budget && better) own = point;
      }
    }
    if (!best.empty()) {
      const std::size_t rows = row_scores(*own, task).size();
      const bool few = rows > 0 && rows < 100;
      const bool help = few ? !is_clearly_better(best.back(), *own, task)
                            : score(*own, task) < score(best.back(), task);
      const bool more_errors = has_fewer_errors(best.back(), *own);
      if (more_errors || (!help && !has_fewer_errors(*own, best.back()))) own = best.back();
    }
    best.push_back(*own);
    best.back().budget = budget;
  }
  return best;
}

// The twin of `budget`: a run for each beta, for each ridge that is clearly better, and for each
// pruned model.
inline std::vector<Points> all_settings(const Problem& problem, Options options) {
  options.score_rows = true;
  const Points rare = in_one_fit(problem, with_own(options, "beta", "0.1"), kRare);
  const Points frequent = in_one_fit(problem, with_own(options, "beta", "1"), kFrequent);
  Options searched = options;
  searched.polish = true;
  searched.features = kBudgets.front();
  searched.budgets.assign(kBudgets.begin() + 1, kBudgets.end());
  const FitResult found = fit(problem, searched);
  EXPECT_EQ(found.polished.size(), kBudgets.size() + 1);  // and the constant model
  Points clear;
  for (const FrontierPoint& point : repeated(problem, options, found.polished)) {
    const std::size_t i = static_cast<std::size_t>(
        std::find(kBudgets.begin(), kBudgets.end(), point.budget) - kBudgets.begin());
    const bool is_rare = score(rare[i], options.task) < score(frequent[i], options.task);
    if (is_clearly_better(point, is_rare ? rare[i] : frequent[i], options.task)) {
      clear.push_back(point);
    }
  }
  return {rare, frequent, clear, repeated(problem, options, found.pruned)};
}

}  // namespace thresh::frontier_law
