// Shared by tests of the solver `budget`: data with features of falling use, and its options.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "thresh/thresh.hpp"
#include "tools/problems.hpp"

namespace thresh {

// Continuous rows. The first features decide the label, each less than the one before.
inline DenseProblem useful_rows(std::size_t rows, std::size_t features, std::uint64_t seed) {
  DenseProblem data = random_problem(rows, features, 0.6, seed);
  Random random(seed + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.3 * random.normal();
    for (std::size_t j = 0; j < features; ++j) {
      double& x = data.x[i][j];
      x *= 1 + random.uniform();
      sum += x * std::pow(0.7, static_cast<double>(j));
    }
    data.y[i] = sum > 0 ? 1 : -1;
  }
  return data;
}

// Class c has more of feature c and c + 3.
inline DenseProblem three_classes(std::size_t rows, std::size_t features, std::uint64_t seed) {
  DenseProblem data = useful_rows(rows, features, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    data.y[i] = static_cast<double>(i % 3);
    data.x[i][i % 3] += 1.5;
    data.x[i][i % 3 + 3] += 0.7;
  }
  return data;
}

inline Options budget_options(std::uint64_t features, std::vector<std::uint64_t> larger = {}) {
  Options options;
  options.solver = "budget";
  options.features = features;
  options.budgets = std::move(larger);
  return options;
}

// Ends a run after this many rows, as Ctrl-C would.
class StopAfter : public Observer {
 public:
  explicit StopAfter(std::uint64_t rows) : rows_(rows) {}
  bool wants_progress(const Progress& at) const override { return at.examples >= rows_; }
  void on_progress(const Progress&) override { stop = true; }
  std::uint64_t wake_at() const override { return rows_; }

  std::atomic<bool> stop = false;

 private:
  std::uint64_t rows_;
};

inline FitResult fit_interrupted(const DenseProblem& data, Options options, std::uint64_t rows) {
  StopAfter observer(rows);
  options.stop = &observer.stop;
  return fit(to_problem(data), options, nullptr, &observer);
}

using Coefficients = std::vector<Coefficient>;

// The coefficients of each class, or of the only model.
inline std::vector<Coefficients> lists_of(const Model& model) {
  if (model.classes.empty()) return {model.coefficients};
  std::vector<Coefficients> parts;
  for (const ClassPart& part : model.classes) parts.push_back(part.coefficients);
  return parts;
}

inline void expect_within(const Model& model, std::uint64_t budget) {
  for (const Coefficients& part : lists_of(model)) {
    EXPECT_LE(part.size(), budget);
    for (const Coefficient& each : part) {
      EXPECT_TRUE(std::isfinite(each.weight));
      EXPECT_NE(each.weight, 0);
    }
  }
}

// `slack`: the difference that another order of summation may make.
inline void expect_same(const Model& a, const Model& b, double slack = 0) {
  EXPECT_NEAR(a.intercept, b.intercept, slack);
  const auto parts = lists_of(a);
  const auto others = lists_of(b);
  ASSERT_EQ(parts.size(), others.size());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    ASSERT_EQ(parts[c].size(), others[c].size());
    for (std::size_t j = 0; j < parts[c].size(); ++j) {
      EXPECT_EQ(parts[c][j].index, others[c][j].index);
      EXPECT_NEAR(parts[c][j].weight, others[c][j].weight, slack);
    }
  }
}

inline bool has_feature(const Coefficients& part, std::uint64_t index) {
  return std::any_of(part.begin(), part.end(),
                     [&](const Coefficient& each) { return each.index == index; });
}

}  // namespace thresh
