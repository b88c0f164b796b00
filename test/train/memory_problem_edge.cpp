// Rows in memory as a caller of the library has them: one way to count features, and no silent
// nonsense.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::memory_problem_edge {
namespace {

MemoryRows view(const RandomRows& rows) {
  return {rows.starts, rows.indices, rows.values, rows.labels, {}};
}

// The weights alone: files of rows that are counted from 0 and from 1 differ in their headers.
std::vector<double> weights_of(const Model& model) {
  std::vector<double> weights{model.intercept};
  for (const Coefficient& coefficient : model.coefficients) weights.push_back(coefficient.weight);
  return weights;
}

TEST(MemoryProblem, WhatIsTrainedWithIsWhatIsPredictedWith) {
  // Feature 0 alone decides.
  const std::vector<std::size_t> starts{0, 1, 2, 3, 4};
  const std::vector<std::uint64_t> indices{0, 0, 0, 0};
  const std::vector<double> values{1, -1, 2, -2};
  const std::vector<double> labels{1, -1, 1, -1};
  const Model model = fit(memory_problem({starts, indices, values, labels, {}}), {}).model;
  ASSERT_EQ(model.coefficients.size(), 1U);
  EXPECT_EQ(model.coefficients[0].index, 0U);
  const std::vector<std::uint64_t> row{0};
  const std::vector<double> value{3};
  EXPECT_EQ(model.margin(row, value), 3 * model.coefficients[0].weight + model.intercept);
  EXPECT_EQ(model.predict(row, value).label, 1);
  EXPECT_EQ(Model::from_bytes(model.to_bytes()).predict(row, value).label, 1);
  EXPECT_EQ(
      std::get<ClassificationMetrics>(evaluate(model, {starts, indices, values, labels, {}})).error,
      0);
}

TEST(MemoryProblem, CountsFromOneIfAskedTo) {
  const RandomRows rows = random_rows(1, 500);
  std::vector<std::uint64_t> from_one = rows.indices;
  for (std::uint64_t& index : from_one) ++index;
  MemoryOptions options;
  options.zero_based = false;
  const MemoryRows counted{rows.starts, from_one, rows.values, rows.labels, {}};
  const Model one = fit(memory_problem(counted, options), {}).model;
  const ScratchDir dir;
  EXPECT_EQ(one.to_bytes(), fit(open_problem(dir.write("a", rows.text())), {}).model.to_bytes());
  const Model zero = fit(memory_problem(view(rows)), {}).model;
  ReadOptions read;
  read.zero_based = true;
  const Problem file = open_problem(dir.write("b", rows.text(true)), "", read);
  EXPECT_EQ(zero.to_bytes(), fit(file, {}).model.to_bytes());
  EXPECT_EQ(weights_of(zero), weights_of(one));
  EXPECT_EQ(refusal_of([&] { memory_problem(view(rows), options); }),
            "row 10: feature index 0, but indices start at 1 (see zero_based)");
}

TEST(MemoryProblem, RowsOfUnitLengthAsInAFile) {
  const RandomRows rows = random_rows(2, 300);
  MemoryOptions options;
  options.normalize_l2 = true;
  ReadOptions read;
  read.normalize_l2 = read.zero_based = true;
  const ScratchDir dir;
  const Model memory = fit(memory_problem(view(rows), options), {}).model;
  const Model file = fit(open_problem(dir.write("a", rows.text(true)), "", read), {}).model;
  EXPECT_EQ(memory.to_bytes(), file.to_bytes());
  // Unit length is a matter of the model: whoever predicts gives rows as they are.
  const std::vector<std::uint64_t> row{memory.coefficients[0].index};
  EXPECT_EQ(memory.margin(row, std::vector<double>{1}), memory.margin(row, std::vector<double>{8}));
}

TEST(MemoryProblem, WeightsAreThoseOfAFile) {
  const RandomRows rows = random_rows(3, 400);
  std::vector<double> weights;
  std::string lines;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    weights.push_back(static_cast<double>(i % 5) / 2);  // zeros, too
    lines += fmt::format("{}\n", weights.back());
  }
  const ScratchDir dir;
  Options options;
  MemoryRows weighted = view(rows);
  weighted.weights = weights;
  const Model memory = fit(memory_problem(weighted), options).model;
  options.weights_file = dir.write("w", lines);
  ReadOptions read;
  read.zero_based = true;
  const Model file = fit(open_problem(dir.write("a", rows.text(true)), "", read), options).model;
  EXPECT_EQ(weights_of(memory), weights_of(file));
  EXPECT_NE(weights_of(memory), weights_of(fit(memory_problem(view(rows)), {}).model));
}

TEST(MemoryProblem, ArraysThatAreNoRowsAreRefusedInOneLine) {
  const std::vector<std::size_t> starts{0, 2, 3};
  const std::vector<std::uint64_t> indices{1, 4, 0};
  const std::vector<double> values{1, 2, 3};
  const std::vector<double> labels{1, -1};
  const auto refusal = [](const MemoryRows& rows) {
    return refusal_of([&] { memory_problem(rows); });
  };
  const auto with_indices = [&](const std::vector<std::uint64_t>& others) {
    return refusal({starts, others, values, labels, {}});
  };
  const auto with_weights = [&](const std::vector<double>& weights) {
    return refusal({starts, indices, values, labels, weights});
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({starts, indices, values, labels, {}}), "");
  EXPECT_EQ(refusal({{}, indices, values, labels, {}}), "rows in memory: starts must begin with 0");
  EXPECT_EQ(refusal({starts, indices, values, {}, {}}),
            "rows in memory: 0 labels for 2 rows (starts has one more entry than there are rows)");
  EXPECT_EQ(refusal({starts, indices, std::vector<double>{1, 2}, labels, {}}),
            "rows in memory: 2 values for 3 indices");
  EXPECT_EQ(refusal({std::vector<std::size_t>{0, 2, 4}, indices, values, labels, {}}),
            "rows in memory: starts ends with 4, but there are 3 indices");
  EXPECT_EQ(refusal({std::vector<std::size_t>{0, 4, 3}, indices, values, labels, {}}),
            "rows in memory: starts must not fall");
  EXPECT_EQ(with_indices({4, 1, 0}), "row 0: feature index 1 after 4: indices must ascend");
  EXPECT_EQ(with_indices({4, 4, 0}), "row 0: feature index 4 twice");
  EXPECT_EQ(refusal({starts, indices, std::vector<double>{1, 2, nan}, labels, {}}),
            "row 1: value of feature 0 is not finite");
  EXPECT_EQ(refusal({starts, indices, values, std::vector<double>{1, nan}, {}}),
            "row 1: label is not finite");
  EXPECT_EQ(with_weights({1}), "rows in memory: 1 weights for 2 rows");
  EXPECT_EQ(with_weights({1, -1}), "row 1: weight is not a finite number >= 0");
  EXPECT_EQ(with_weights({0, 0}), "rows in memory: no weight is above zero");
}

TEST(MemoryProblem, PredictionRefusesWhatIsNoRow) {
  Model model;
  model.dimension = 9;
  model.coefficients = {{1, 0.5, ""}, {3, -2, ""}};
  const auto refusal = [&](const std::vector<std::uint64_t>& indices,
                           const std::vector<double>& values) {
    const std::string scored = refusal_of([&] { Scorer(model).predict(indices, values); });
    EXPECT_EQ(refusal_of([&] { model.margin(indices, values); }), scored);
    EXPECT_EQ(refusal_of([&] { model.predict(indices, values); }), scored);
    return scored;
  };
  EXPECT_EQ(refusal({1, 3, 1ULL << 40}, {1, 2, 3}), "");
  EXPECT_EQ(refusal({0}, {1}), "feature index 0, but the model counts features from 1");
  EXPECT_EQ(refusal({3, 1}, {1, 1}), "feature index 1 after 3: indices must ascend");
  EXPECT_EQ(refusal({3, 3}, {1, 1}), "feature index 3 twice");
  EXPECT_EQ(refusal({1, 3}, {1}), "a row of 2 indices has 1 values");
  EXPECT_EQ(refusal({1}, {INFINITY}), "value of feature 1 is not finite");
  EXPECT_EQ(refusal({(1ULL << 40) + 1}, {1}), "feature index 1099511627777 is above 2^40");
  model.zero_based = true;
  EXPECT_EQ(refusal({0}, {1}), "");
}

}  // namespace
}  // namespace thresh::memory_problem_edge
