// Wrong labels, estimated: by hand, and where they were planted.

#include "diagnose/label_noise.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sparse/feature_map.hpp"
#include "tools/problems.hpp"

namespace thresh::label_noise_oracle {
namespace {

// Two rows of the other class's liking: thresholds are 1.9/3 and 1.7/3, so that every row has one
// class that is confident of it.
TEST(LabelNoise, TheConfidentJointByHand) {
  const std::vector<double> p = {.9, .1, .8, .2, .2, .8, .1, .9, .3, .7, .9, .1};
  const LabelNoise found = confident_learning(p, {0, 0, 0, 1, 1, 1}, 2);
  EXPECT_EQ(found.rows, 6U);
  EXPECT_EQ(found.suspects, 2U);
  EXPECT_DOUBLE_EQ(found.share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(found.error, 1.0 / 3);
  EXPECT_EQ(found.first, (std::vector<std::uint64_t>{5, 2}));
}

// Of label 0 one row in two that count is wrong, so two of its four are; rows that no class is
// confident of do not count.
TEST(LabelNoise, EveryLabelHasItsNumberOfRows) {
  const std::vector<double> p = {.9, .1, .1, .9, .45, .55, .45, .55, .2, .8, .2, .8};
  const LabelNoise found = confident_learning(p, {0, 0, 0, 0, 1, 1}, 2);
  EXPECT_EQ(found.suspects, 1U);
  EXPECT_DOUBLE_EQ(found.share, 2.0 / 6);
}

// `classes` clouds, and every `step`-th label that of the next class.
DenseProblem clouds(std::size_t classes, std::size_t step) {
  DenseProblem data = random_problem(1200, 12, 0.3, 17);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const std::size_t c = i % classes;
    for (double& value : data.x[i]) value *= 0.3;
    data.x[i][c] += 2;
    const bool flipped = step > 0 && i / classes % step == 0;
    data.y[i] = static_cast<double>((c + (flipped ? 1 : 0)) % classes);
  }
  return data;
}

TEST(LabelNoise, PlantedFlipsAreFound) {
  SelectObserver nobody;
  for (const std::size_t classes : {2U, 3U, 5U}) {
    for (const std::size_t step : {0U, 20U, 5U}) {
      SCOPED_TRACE(std::to_string(classes) + " classes, a flip in " + std::to_string(step));
      const Problem problem = to_problem(clouds(classes, step));
      const LabelNoise found = estimate_label_noise(*problem.train, *problem.features,
                                                    overview_of(*problem.train), nobody);
      ASSERT_EQ(found.obstacle, "");
      EXPECT_EQ(found.rows, 1200U);
      const double planted = step == 0 ? 0 : 1.0 / static_cast<double>(step);
      EXPECT_NEAR(found.share, planted, 0.01 + planted / 5);
      for (const std::uint64_t row : found.first) {
        if (step > 0) {
          EXPECT_EQ(row / classes % step, 0U);
        }
      }
    }
  }
}

// Slots that come from a table are in the order in which rows met their features.
TEST(LabelNoise, SlotsNeedNotAscend) {
  SelectObserver nobody;
  const auto all_hashed = std::make_shared<FeatureMap>(0, 0);
  const DenseProblem data = clouds(3, 20);
  const auto found_in = [&](const Problem& problem) {
    return estimate_label_noise(*problem.train, *problem.features, overview_of(*problem.train),
                                nobody);
  };
  const LabelNoise plain = found_in(to_problem(data));
  const LabelNoise hashed = found_in(to_problem(data, all_hashed));
  EXPECT_EQ(hashed.obstacle, "");
  EXPECT_EQ(hashed.first, plain.first);
  EXPECT_EQ(hashed.share, plain.share);
}

TEST(LabelNoise, WhatCannotBeEstimatedIsNot) {
  SelectObserver nobody;
  const auto obstacle = [&](const DenseProblem& data) {
    const Problem problem = to_problem(data);
    return estimate_label_noise(*problem.train, *problem.features, overview_of(*problem.train),
                                nobody)
        .obstacle;
  };
  EXPECT_NE(obstacle(random_problem(10, 3, 0.5, 1)), "");
  DenseProblem numbers = random_problem(2000, 3, 0.5, 1);
  for (std::size_t i = 0; i < numbers.y.size(); ++i) numbers.y[i] = static_cast<double>(i);
  EXPECT_NE(obstacle(numbers), "");
}

}  // namespace
}  // namespace thresh::label_noise_oracle
