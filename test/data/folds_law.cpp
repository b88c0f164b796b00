// Folds: every row is held out exactly once, by its number alone, and folds are of the same size.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "data/feed/feeder.hpp"
#include "tools/error_of.hpp"
#include "tools/problems.hpp"

namespace thresh::folds_law {
namespace {

RowView view_of(std::uint64_t folds, std::uint64_t fold, std::uint64_t seed, RowView::Keep keep) {
  RowView view;
  view.folds = folds;
  view.fold = fold;
  view.seed = seed;
  view.keep = keep;
  return view;
}

TEST(Folds, EveryRowIsHeldOutOnceAndLearnedFromOtherwise) {
  for (const std::uint64_t folds : {2, 3, 10}) {
    for (std::uint64_t id = 0; id < 2000; ++id) {
      std::uint64_t held_out = 0;
      for (std::uint64_t fold = 0; fold < folds; ++fold) {
        const bool here = view_of(folds, fold, 7, RowView::Keep::held_out).wants(id);
        EXPECT_NE(here, view_of(folds, fold, 7, RowView::Keep::training).wants(id));
        EXPECT_TRUE(view_of(folds, fold, 7, RowView::Keep::all).wants(id));
        held_out += here ? 1 : 0;
      }
      ASSERT_EQ(held_out, 1U) << id;
    }
  }
}

// Also with as many folds as rows.
TEST(Folds, SizesDifferByOneAtMost) {
  for (const std::uint64_t seed : {1, 2, 99}) {
    for (const std::uint64_t rows : {10, 11, 12, 10003}) {
      for (const std::uint64_t folds : {2, 5, 10}) {
        for (std::uint64_t fold = 0; fold < folds; ++fold) {
          const RowView view = view_of(folds, fold, seed, RowView::Keep::held_out);
          std::uint64_t count = 0;
          for (std::uint64_t id = 0; id < rows; ++id) count += view.wants(id) ? 1 : 0;
          EXPECT_GE(count, rows / folds);
          EXPECT_LE(count, (rows + folds - 1) / folds);
        }
      }
    }
  }
}

// Every place of a stretch of rows is as likely as another to be in a fold.
TEST(Folds, PlacesAreDrawn) {
  std::vector<double> times(5);
  const RowView view = view_of(5, 3, 8, RowView::Keep::held_out);
  for (std::uint64_t id = 0; id < 20000; ++id) times[id % 5] += view.wants(id) ? 1 : 0;
  for (const double each : times) EXPECT_NEAR(each, 800, 4 * std::sqrt(4000 * 0.2 * 0.8));
}

TEST(Folds, AnotherSeedMakesOtherFolds) {
  std::size_t different = 0;
  for (std::uint64_t id = 0; id < 1000; ++id) {
    different += view_of(2, 0, 1, RowView::Keep::held_out).wants(id) !=
                 view_of(2, 0, 2, RowView::Keep::held_out).wants(id);
  }
  EXPECT_GT(different, 400U);
  EXPECT_LT(different, 600U);
}

TEST(Folds, ARunLearnsFromTheOthersAndValidatesOnItsOwn) {
  const DenseProblem rows = random_problem(500, 8, 0.5, 3);
  std::uint64_t validated = 0;
  for (std::uint64_t fold = 0; fold < 4; ++fold) {
    Options options;
    options.solver = "fobos";
    options.passes = 1;
    options.folds = 4;
    options.fold = fold;
    const FitResult result = fit(to_problem(rows), options);
    EXPECT_EQ(result.last.at.examples + result.last.valid_rows, 500U);
    EXPECT_EQ(result.last.valid_weight, static_cast<double>(result.last.valid_rows));
    validated += result.last.valid_rows;
  }
  EXPECT_EQ(validated, 500U);
}

TEST(Folds, WhatMakesNoSenseIsRefused) {
  const DenseProblem rows = random_problem(50, 8, 0.5, 3);
  const auto fit_with = [&](std::uint64_t folds, std::uint64_t fold, double holdout) {
    Options options;
    options.folds = folds;
    options.fold = fold;
    options.holdout = holdout;
    fit(to_problem(rows), options);
  };
  EXPECT_NE(refusal_of([&] { fit_with(5, 5, 0); }), "");
  EXPECT_NE(refusal_of([&] { fit_with(1, 0, 0); }), "");
  EXPECT_NE(refusal_of([&] { fit_with(5, 0, 0.1); }), "");
  EXPECT_NE(error_of([&] {
              fit_with(1000, 0, 0);
            }).find("fold 1 of 1000 of 50 rows is none: nothing to validate on"),
            std::string::npos);
}

}  // namespace
}  // namespace thresh::folds_law
