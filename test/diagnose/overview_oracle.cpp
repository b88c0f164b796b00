// Rows and columns against pairs of them.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "diagnose/dense_matrix.hpp"
#include "diagnose/overview.hpp"
#include "sparse/random.hpp"

namespace thresh::overview_oracle {
namespace {

RC_GTEST_PROP(Diagnose, ColumnsThatAreEqualOrConstant, ()) {
  DenseProblem data = any_problem();
  for (std::size_t j = 0; j < data.features; ++j) {  // make some of them so
    const auto what = *rc::gen::inRange(0, 4);
    const auto other = *rc::gen::inRange<std::size_t>(0, data.features);
    for (auto& x : data.x) {
      if (what == 0) x[j] = x[other];
      if (what == 1) x[j] = 2.5;
    }
  }
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  const Eigen::MatrixXd x = dense_matrix(data);
  std::uint64_t duplicates = 0;
  std::uint64_t constants = 0;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    if (!x.col(j).any()) continue;
    constants += (x.col(j).array() == x(0, j)).all();
    bool before = false;
    for (Eigen::Index i = 0; i < j; ++i) before = before || x.col(i) == x.col(j);
    duplicates += before;
  }
  RC_ASSERT(overview.duplicate_columns() == duplicates);
  RC_ASSERT(overview.constant_columns() == constants);
}

RC_GTEST_PROP(Diagnose, TwinsAreCountedByPairs, ()) {
  const auto kinds = *rc::gen::container<std::vector<std::pair<std::uint8_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::uint8_t>(0, 9), rc::gen::arbitrary<bool>()));
  Twins twins;
  for (const auto& [kind, label] : kinds) twins.add(mix(kind + 1U), label ? 1 : -1);
  std::uint64_t copies = 0;
  std::uint64_t outvoted = 0;
  for (unsigned kind = 0; kind < 9; ++kind) {
    const auto count = [&](bool label) {
      return static_cast<std::uint64_t>(std::count(
          kinds.begin(), kinds.end(), std::pair(static_cast<std::uint8_t>(kind), label)));
    };
    if (count(true) + count(false) < 2) continue;
    copies += count(true) + count(false);
    outvoted += std::min(count(true), count(false));
  }
  RC_ASSERT(twins.counts().rows == kinds.size());
  RC_ASSERT(twins.counts().copies == copies);
  RC_ASSERT(twins.counts().outvoted == outvoted);
}

// Half of the kinds have a twin, a quarter of the pairs disagree; few kinds are followed to the
// end.
TEST(Diagnose, TwinsInLittleMemoryKeepTheirShares) {
  Twins twins(1000);
  for (int copy = 0; copy < 2; ++copy) {
    for (std::uint64_t kind = 1; kind <= 100000; ++kind) {
      if (copy == 1 && kind % 2 == 0) continue;
      twins.add(mix(kind), copy == 1 && kind % 8 == 1 ? 1 : -1);
    }
  }
  const Twins::Counts counts = twins.counts();
  EXPECT_LT(counts.share_followed, 0.02);
  EXPECT_LT(counts.rows, 2000U);
  EXPECT_NEAR(static_cast<double>(counts.copies) / static_cast<double>(counts.rows), 2.0 / 3, 0.05);
  EXPECT_NEAR(static_cast<double>(counts.outvoted) / static_cast<double>(counts.copies), 0.125,
              0.03);
}

TEST(Diagnose, QuantilesAreWithinABin) {
  LogHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(std::log2(i));
  EXPECT_NEAR(std::exp2(histogram.quantile(0.5)), 500, 25);
  EXPECT_NEAR(static_cast<double>(histogram.above(std::log2(900))), 100, 45);
  EXPECT_NEAR(static_cast<double>(histogram.below(std::log2(100))), 100, 5);
}

}  // namespace
}  // namespace thresh::overview_oracle
