#include "model/auc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::auc_law {
namespace {

struct Row {
  double margin;
  bool positive;
  double weight;
};

std::optional<double> auc_of(const std::vector<Row>& rows, size_t run_size = ExactAuc::kRunSize) {
  ExactAuc auc(run_size);
  for (const Row& row : rows) auc.add(row.margin, row.positive, row.weight);
  return auc.finish();
}

// The definition: look at every pair.
std::optional<double> slow_auc(const std::vector<Row>& rows) {
  long double ordered = 0, pairs = 0;
  for (const Row& p : rows) {
    for (const Row& n : rows) {
      if (!p.positive || n.positive) continue;
      const long double weight = static_cast<long double>(p.weight) * n.weight;
      pairs += weight;
      if (p.margin > n.margin) ordered += weight;
      if (p.margin == n.margin) ordered += weight / 2;
    }
  }
  if (pairs == 0) return std::nullopt;
  return static_cast<double>(ordered / pairs);
}

// Few distinct margins, so that there are ties; weights that are small and whole, or of all sizes.
std::vector<Row> random_rows(Random& random) {
  std::vector<Row> rows(random.below(120));
  const uint64_t distinct = 1 + random.below(40);
  const bool whole = random.below(2) == 0;
  for (Row& row : rows) {
    row.margin = static_cast<double>(random.below(distinct)) - 10.5;
    row.positive = random.below(3) == 0;
    row.weight = whole ? static_cast<double>(random.below(4)) : std::exp(20 * random.normal());
  }
  return rows;
}

TEST(Auc, IsTheShareOfOrderedPairs) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Row> rows = random_rows(random);
    const auto expected = slow_auc(rows);
    for (const size_t run_size : {size_t{1}, size_t{7}, size_t{64}, ExactAuc::kRunSize}) {
      const auto actual = auc_of(rows, run_size);
      ASSERT_EQ(actual.has_value(), expected.has_value());
      if (expected) {
        ASSERT_NEAR(*actual, *expected, 1e-14) << rows.size() << ' ' << run_size;
      }
    }
  }
}

TEST(Auc, DependsOnNeitherOrderNorRunSize) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<Row> rows = random_rows(random);
    const auto expected = auc_of(rows);
    EXPECT_EQ(auc_of(rows, 7), expected);
    shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(auc_of(rows), expected);
    EXPECT_EQ(auc_of(rows, 7), expected);
  }
}

TEST(Auc, DependsOnNeitherEvenWhereSumsDo) {
  // Ties of 1 + 2^-53 and crumbs: whether the sum rounds up is decided by what is added first.
  std::vector<Row> rows = {{0, true, 1}, {0, true, 0x1p-53}, {1, false, 1}, {2, true, 0.25}};
  rows.insert(rows.end(), 64, {0, true, 0x1p-111});
  const auto expected = auc_of(rows);
  EXPECT_EQ(auc_of(rows, 2), expected);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(auc_of(rows), expected);
  EXPECT_EQ(auc_of(rows, 2), expected);
}

TEST(Auc, IsExactOnPerfectReversedAndUninformativeMargins) {
  std::vector<Row> perfect, reversed, equal;
  for (int i = 0; i < 100; ++i) {
    const double weight = 0.1 * (i + 1);
    perfect.push_back({i < 50 ? -0.5 : i + 0.5, i >= 50, weight});
    reversed.push_back({i < 50 ? -0.5 : i + 0.5, i < 50, weight});
    equal.push_back({0.25, i % 2 == 0, 1});
  }
  for (const size_t run_size : {size_t{7}, ExactAuc::kRunSize}) {
    EXPECT_EQ(auc_of(perfect, run_size), 1.0);
    EXPECT_EQ(auc_of(reversed, run_size), 0.0);
    EXPECT_EQ(auc_of(equal, run_size), 0.5);
  }
}

TEST(Auc, NeverRoundsPastOne) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Row> rows;
    for (int i = -5; i < 5; ++i) rows.push_back({i + 0.5, i >= 0, random.uniform()});
    ASSERT_LE(auc_of(rows).value(), 1.0);
  }
}

TEST(Auc, TakesBothZerosAsOneAndInfinitiesAsExtremes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(auc_of({{0.0, true, 1}, {-0.0, false, 1}}), 0.5);
  EXPECT_EQ(auc_of({{-kInf, false, 1}, {kInf, true, 1}, {0, false, 1}, {0, true, 1}}, 2), 0.875);
  EXPECT_EQ(auc_of({{kInf, false, 1}, {kInf, true, 1}}), 0.5);
}

TEST(Auc, IsUndefinedWithoutBothClasses) {
  EXPECT_EQ(auc_of({}), std::nullopt);
  EXPECT_EQ(auc_of({{1, true, 1}, {2, true, 1}, {3, true, 1}}, 2), std::nullopt);
  EXPECT_EQ(auc_of({{1, false, 1}}), std::nullopt);
  EXPECT_EQ(auc_of({{1, false, 1}, {2, true, 0}}), std::nullopt);
}

TEST(Auc, RefusesNaN) {
  ExactAuc auc;
  EXPECT_THROW(auc.add(std::nan(""), true, 1), Error);
}

}  // namespace
}  // namespace thresh::auc_law
