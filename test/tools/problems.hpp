// Small dense problems for comparing a solver with its naive twin.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "data/feed/order.hpp"
#include "data/read/cutter.hpp"
#include "data/read/memory_rows.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/thresh.hpp"

namespace thresh {

struct DenseProblem {
  std::size_t features = 0;
  std::vector<std::vector<double>> x;
  std::vector<double> y;  // -1 or +1
  std::vector<double> s;  // example weights
};

inline DenseProblem random_problem(std::size_t rows, std::size_t features, double density,
                                   std::uint64_t seed) {
  Random random(seed);
  DenseProblem data;
  data.features = features;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> x(features);
    for (double& value : x) {
      if (random.uniform() < density) value = std::round(4 * random.normal()) / 4;
    }
    data.x.push_back(std::move(x));
    // The first two rows contain both classes.
    data.y.push_back(i < 2 ? (i == 0 ? 1 : -1) : (random.uniform() < 0.5 ? 1 : -1));
    data.s.push_back(1);
  }
  return data;
}

// RapidCheck chooses the shape. A seed determines the numbers, so that failures shrink in size.
inline DenseProblem any_problem() {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 60);
  const auto features = *rc::gen::inRange<std::size_t>(1, 12);
  const auto tenths = *rc::gen::inRange(1, 11);
  return random_problem(rows, features, tenths / 10.0, *rc::gen::arbitrary<std::uint64_t>());
}

inline Problem to_problem(const DenseProblem& data,
                          const std::shared_ptr<FeatureMap>& features = make_feature_map()) {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint64_t> indices;
  std::vector<double> values;
  for (const auto& x : data.x) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] == 0) continue;
      indices.push_back(j);
      values.push_back(x[j]);
    }
    starts.push_back(indices.size());
  }
  Problem problem;
  problem.features = features;
  problem.train = memory_rows(starts, indices, values, data.y, problem.features);
  return problem;
}

// The same, but no solver may rescale its features.
inline Problem plain_problem(const DenseProblem& data) {
  Problem problem = to_problem(data);
  problem.never_scale = true;
  return problem;
}

// The order of a pass, made the slow way: cut into blocks, permute, permute in windows.
inline std::vector<std::size_t> visiting_order(Order order, std::uint64_t seed, std::uint64_t pass,
                                               std::size_t rows) {
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  const PassOrder permutation(order, seed, pass, blocks);
  std::vector<std::size_t> all;
  for (std::size_t first = 0; first < blocks; first += kWindowBlocks) {
    std::vector<std::size_t> window;
    for (std::size_t k = first; k < std::min(first + kWindowBlocks, blocks); ++k) {
      const std::size_t begin = permutation.block(k) * kBlockRows;
      for (std::size_t i = begin; i < std::min(begin + kBlockRows, rows); ++i) window.push_back(i);
    }
    permutation.arrange(first / kWindowBlocks, window);
    all.insert(all.end(), window.begin(), window.end());
  }
  return all;
}

inline void expect_weights(const Model& model, const std::vector<double>& w, double intercept,
                           double tolerance) {
  std::vector<double> got(w.size());
  for (const Coefficient& coefficient : model.coefficients) {
    got.at(coefficient.index - 1) = coefficient.weight;
  }
  for (std::size_t j = 0; j < w.size(); ++j) {
    ASSERT_NEAR(got[j], w[j], tolerance * (1 + std::fabs(w[j]))) << "feature " << j + 1;
    ASSERT_EQ(got[j] == 0, w[j] == 0) << "feature " << j + 1;
  }
  ASSERT_NEAR(model.intercept, intercept, tolerance * (1 + std::fabs(intercept)));
}

}  // namespace thresh
