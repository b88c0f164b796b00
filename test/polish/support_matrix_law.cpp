// Rows restricted to a few features, against a search through dense rows.

#include "polish/support_matrix.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "polish/dense_rows.hpp"
#include "polish/wanted_rows.hpp"

namespace thresh::support_matrix_law {
namespace {

using Slots = std::vector<std::uint32_t>;

constexpr std::size_t kNoLimit = 1'000'000;

// Some of the numbers below `end`, ascending.
Slots any_slots(std::uint32_t end) {
  Slots slots;
  for (std::uint32_t slot = 0; slot < end; ++slot) {
    if (*rc::gen::arbitrary<bool>()) slots.push_back(slot);
  }
  return slots;
}

// Column i is the feature at slots[i]; no row has slots beyond the features.
DenseProblem restricted(const DenseProblem& data, const Slots& slots, double unit) {
  DenseProblem part = data;
  part.features = slots.size();
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    part.x[i].clear();
    for (const std::uint32_t slot : slots) {
      part.x[i].push_back(slot < data.features ? data.x[i][slot] * unit : 0);
    }
  }
  return part;
}

bool same(const SupportMatrix& a, const SupportMatrix& b) {
  return a.columns == b.columns && a.starts == b.starts && a.at == b.at && a.values == b.values &&
         a.labels == b.labels && a.weights == b.weights;
}

// Slots may come in any order.
RC_GTEST_PROP(SupportMatrix, HasTheWantedRowsAndColumns, ()) {
  const DenseProblem data = any_problem();
  const RowView view = any_view();
  Slots slots = any_slots(static_cast<std::uint32_t>(data.features) + 3);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  if (*rc::gen::arbitrary<bool>()) shuffle(slots.begin(), slots.end(), random);
  const double unit = *rc::gen::element(1.0, 0.7, 1e-3);
  const auto got = gather_support(to_problem(data).train, view, slots, unit, kNoLimit);
  RC_ASSERT(got.has_value());
  RC_ASSERT(same(*got, matrix_of(restricted(wanted_rows(data, view), slots, unit))));
}

RC_GTEST_PROP(SupportMatrix, BalancesColumnsByTheRootOfTheirSize, ()) {
  DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  weigh_rows(data, random);
  SupportMatrix rows = matrix_of(data);
  const std::vector<double> factors = balancing_factors(rows);
  RC_ASSERT(factors.size() == data.features);
  rows.scale_columns(factors);
  for (std::size_t j = 0; j < data.features; ++j) {
    double squares = 0, weight = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      squares += data.s[i] * data.x[i][j] * data.x[i][j];
      weight += data.s[i];
    }
    const double expected = squares > 0 ? std::pow(squares / weight, -0.25) : 1;
    RC_ASSERT(std::fabs(factors[j] - expected) <= 1e-12 * expected);
    for (Vector& x : data.x) x[j] *= factors[j];
  }
  RC_ASSERT(same(rows, matrix_of(data)));
}

// Squares that are not finite, or too small to divide by.
TEST(SupportMatrix, LeavesHostileColumnsAsTheyAre) {
  SupportMatrix rows;
  rows.columns = 3;
  rows.starts = {0, 3};
  rows.at = {0, 1, 2};
  rows.values = {1e200, 1e-200, 4};
  rows.labels = rows.weights = {1};
  EXPECT_EQ(balancing_factors(rows), (std::vector<double>{1, 1, 0.5}));
}

RC_GTEST_PROP(SupportMatrix, IsNoneBeyondTheLimit, ()) {
  const DenseProblem data = any_problem();
  const RowView view = any_view();
  const Slots slots = any_slots(static_cast<std::uint32_t>(data.features));
  const Problem problem = to_problem(data);
  const SupportMatrix expected = matrix_of(restricted(wanted_rows(data, view), slots, 1));
  const std::size_t entries = expected.entries();
  const auto at_limit = gather_support(problem.train, view, slots, 1, entries);
  RC_ASSERT(at_limit.has_value());
  RC_ASSERT(same(*at_limit, expected));
  if (entries > 0) RC_ASSERT(!gather_support(problem.train, view, slots, 1, entries - 1));
  if (entries > 0) RC_ASSERT(!gather_support(problem.train, view, slots, 1, 0));
}

// More rows than a window has.
TEST(SupportMatrix, HasTheRowsOfAllWindows) {
  const DenseProblem data = random_problem(20'000, 3, 0.5, 8);
  const auto got = gather_support(to_problem(data).train, {}, {0, 2}, 0.5, kNoLimit);
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(same(*got, matrix_of(restricted(data, {0, 2}, 0.5))));
  // The first window already has too many entries.
  EXPECT_FALSE(gather_support(to_problem(data).train, {}, {0, 2}, 0.5, 100).has_value());
}

RC_GTEST_PROP(SupportMatrix, CanBeReducedToSomeColumns, ()) {
  DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  weigh_rows(data, random);
  const Slots kept = any_slots(static_cast<std::uint32_t>(data.features));
  const SupportMatrix part = matrix_of(data).only(kept);
  RC_ASSERT(same(part, matrix_of(restricted(data, kept, 1))));
  for (std::size_t i = 0; i < part.rows(); ++i) {
    Vector x(kept.size());
    const SparseVector row = part.row(i);
    for (std::size_t k = 0; k < row.size; ++k) x[row.at[k]] = row.values[k];
    RC_ASSERT(x == restricted(data, kept, 1).x[i]);
  }
}

}  // namespace
}  // namespace thresh::support_matrix_law
