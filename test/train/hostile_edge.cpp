// Data made to break solvers: whatever comes, a run ends with finite weights and a status that is
// true. Where no number should leave the range of doubles, the processor is told to trap it.

#include <fenv.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/read/memory_rows.hpp"
#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/thresh.hpp"
#include "tools/every_solver.hpp"

namespace thresh::hostile_edge {
namespace {

// Rows as they are built up: (feature, value) pairs.
class Rows {
 public:
  Rows& add(double label, const std::vector<std::pair<std::uint64_t, double>>& entries) {
    for (const auto& [feature, value] : entries) {
      indices_.push_back(feature);
      values_.push_back(value);
    }
    starts_.push_back(indices_.size());
    labels_.push_back(label);
    return *this;
  }
  Problem problem() const { return problem_with(labels_); }
  // With labels that are counts.
  Problem counts() const {
    std::vector<double> labels = labels_;
    for (double& label : labels) label = std::max(label, 0.0);
    return problem_with(labels);
  }
  // The largest margin of a model on any row.
  double largest_margin(const Model& model) const {
    std::vector<double> weights(1 + indices_.size());
    for (const Coefficient& c : model.coefficients) {
      if (c.index > weights.size()) weights.resize(c.index);
      weights[c.index - 1] = c.weight;
    }
    double largest = 0;
    for (std::size_t row = 0; row < labels_.size(); ++row) {
      double sum = model.intercept;
      for (std::size_t i = starts_[row]; i < starts_[row + 1]; ++i) {
        if (indices_[i] < weights.size()) sum += weights[indices_[i]] * values_[i];
      }
      if (!(std::fabs(sum) <= largest)) largest = std::fabs(sum);
    }
    return largest;
  }

 private:
  Problem problem_with(const std::vector<double>& labels) const {
    Problem problem;
    problem.features = make_feature_map();
    problem.train = memory_rows(starts_, indices_, values_, labels, problem.features);
    return problem;
  }

  std::vector<std::size_t> starts_{0};
  std::vector<std::uint64_t> indices_;
  std::vector<double> values_;
  std::vector<double> labels_;
};

struct Case {
  const char* name;
  bool in_range;  // nothing should overflow, nor be undefined
  std::function<Rows()> rows;
};

constexpr std::uint64_t kFeatures = 6;

// Rows of both classes with values around `size`.
Rows ordinary(std::size_t rows, double size, std::uint64_t seed = 1) {
  Random random(seed);
  Rows made;
  for (std::size_t i = 0; i < rows; ++i) {
    const double label = i % 2 == 0 ? 1 : -1;
    std::vector<std::pair<std::uint64_t, double>> entries;
    for (std::uint64_t j = 0; j < kFeatures; ++j) {
      if (random.below(2) == 0) entries.emplace_back(j, size * (random.normal() + 0.3 * label));
    }
    made.add(label, entries);
  }
  return made;
}

Rows one_feature_above_all(double times) {
  Random random(2);
  Rows made;
  for (std::size_t i = 0; i < 60; ++i) {
    const double label = i % 2 == 0 ? 1 : -1;
    std::vector<std::pair<std::uint64_t, double>> entries = {{0, random.normal() + label}};
    if (i % 3 == 0) entries.emplace_back(1, times * (random.normal() + 0.1 * label));
    entries.emplace_back(2, random.normal());
    made.add(label, entries);
  }
  return made;
}

const std::vector<Case>& small_cases() {
  static const std::vector<Case> cases = {
      {"1e300 and 1e-300 in one row", false,
       [] {
         return Rows()
             .add(1, {{0, 1e300}, {1, 1e-300}})
             .add(-1, {{0, -1e300}, {1, 1}, {2, 1e-300}})
             .add(1, {{1, 1e-300}, {2, 1e300}})
             .add(-1, {{1, -1}, {2, -1}});
       }},
      {"1e-300 alone", true,
       [] {
         return Rows().add(1, {{0, 1e-300}}).add(-1, {{1, 1e-300}}).add(1, {{2, -1e-300}});
       }},
      {"1e38", false, [] { return ordinary(40, 1e38); }},
      {"1e38 and 1 in one row", false, [] { return one_feature_above_all(1e38); }},
      {"zero rows", true,
       [] {
         Rows rows = ordinary(10, 1);
         for (int i = 0; i < 20; ++i) rows.add(i % 2 == 0 ? 1 : -1, {});
         return rows;
       }},
      {"one feature 10^12 times the others", true, [] { return one_feature_above_all(1e12); }},
      {"labels all equal after a prefix", true,
       [] {
         Rows rows = ordinary(4, 1);
         Random random(3);
         for (int i = 0; i < 400; ++i) {
           rows.add(1, {{random.below(3), 1 + random.uniform()}, {4, 1}});
         }
         return rows;
       }},
      {"one class after the other", true,
       [] {
         Rows rows;
         for (const double label : {1.0, -1.0}) {
           for (std::uint64_t i = 0; i < 200; ++i) rows.add(label, {{i % 3, 2}, {3 + i % 2, 1}});
         }
         return rows;
       }},
      {"the same row with both labels", true,
       [] {
         Rows rows;
         for (int i = 0; i < 100; ++i) rows.add(i % 2 == 0 ? 1 : -1, {{0, 3}, {1, -2}});
         return rows;
       }},
  };
  return cases;
}

// Traps overflow, division by zero and invalid operations while it lives.
class Traps {
 public:
  explicit Traps(bool on) : on_(on) {
    if (!on_) return;
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(kKinds);
  }
  ~Traps() {
    if (on_) fedisableexcept(kKinds);
  }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

 private:
  static constexpr int kKinds = FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID;
  bool on_;
};

void expect_finite(const Model& model) {
  EXPECT_TRUE(std::isfinite(model.intercept)) << model.intercept;
  for (const Coefficient& c : model.coefficients) {
    ASSERT_TRUE(std::isfinite(c.weight)) << "feature " << c.index << ": " << c.weight;
    ASSERT_NE(c.weight, 0) << "feature " << c.index;
  }
}

// What a status says about a run must be so.
void expect_truth(const FitResult& result, double largest_margin) {
  expect_finite(result.model);
  EXPECT_FALSE(result.status.reason.empty());
  if (result.status.outcome == Outcome::diverged) {
    EXPECT_FALSE(result.divergences.empty());
    return;
  }
  EXPECT_TRUE(std::isfinite(largest_margin)) << largest_margin << ", " << result.status.reason;
  const bool says_so = result.status.reason.find("diverged") != std::string::npos;
  EXPECT_EQ(says_so, !result.divergences.empty()) << result.status.reason;
}

void expect_all_ways(const Case& each, const SolverInfo& info, Options options) {
  const Rows rows = each.rows();
  options.dim = 0;
  options.lambda = 1e-3;
  options.order = Order::sequential;
  if (options.features) options.features = 3;
  std::vector<Loss> losses = info.losses;
  if (losses.empty()) losses = {Loss::logistic};  // stands for its own
  for (const Loss loss : losses) {
    if (!info.losses.empty()) options.loss = loss;
    options.task = is_for_numbers(loss) ? Task::regression : Task::classification;
    const bool counts = loss == Loss::poisson;  // whose slopes overflow where margins do not
    for (const OnDivergence what :
         {OnDivergence::recover, OnDivergence::stop, OnDivergence::proceed}) {
      SCOPED_TRACE(fmt::format("{}, {}", name_of(loss), name_of(what)));
      options.on_divergence = what;
      const bool trapped = each.in_range && what == OnDivergence::recover && !counts;
      const FitResult result = [&] {
        const Problem problem = counts ? rows.counts() : rows.problem();
        const Traps traps(trapped);
        return fit(problem, options);
      }();
      expect_truth(result, rows.largest_margin(result.model));
    }
  }
}

TEST(Hostile, EverySolverEndsFiniteAndTellsTheTruth) {
  for (const Case& each : small_cases()) {
    SCOPED_TRACE(each.name);
    for_each_way([&](const SolverInfo& info, const Options& options) {
      expect_all_ways(each, info, options);
    });
  }
}

TEST(Hostile, CompensatedSumsEndFiniteToo) {
  for (const Case& each : small_cases()) {
    SCOPED_TRACE(each.name);
    for_each_way([&](const SolverInfo& info, Options options) {
      options.compensated = true;
      expect_all_ways(each, info, options);
    });
  }
}

void expect_truth_of_features_with_one_example(std::uint64_t features) {
  constexpr std::uint64_t kRows = 10;
  const std::uint64_t each = features / kRows;
  Rows rows;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    std::vector<std::pair<std::uint64_t, double>> entries;
    for (std::uint64_t j = 0; j < each; ++j) entries.emplace_back(i * each + j, 1e-3);
    rows.add(i % 2 == 0 ? 1 : -1, entries);
  }
  const Problem problem = rows.problem();
  for (const SolverInfo& info : solvers()) {
    SCOPED_TRACE(info.name);
    Options options = options_for(info);
    options.dim = 0;
    options.passes = 2;
    if (info.counts != "rows") options.steps = 10;
    if (info.name == "smidas") options.steps = 4;  // each walks through all of theta
    if (info.name == "grades") options.solver_options["gamma"] = "10";  // auto is 200 passes
    const FitResult result = [&] {
      const Traps traps(true);
      return fit(problem, options);
    }();
    expect_truth(result, rows.largest_margin(result.model));
  }
}

TEST(Hostile, AMillionFeaturesWithOneExampleEach) {
  expect_truth_of_features_with_one_example(1'000'000);
}

TEST(Hostile, ThoroughlyTenMillionFeatures) {
  expect_truth_of_features_with_one_example(10'000'000);
}

}  // namespace
}  // namespace thresh::hostile_edge
