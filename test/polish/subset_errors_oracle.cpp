// The search for the fewest errors, against fits of every column.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polish/search_case.hpp"

namespace thresh::subset_errors_oracle {
namespace {

constexpr std::size_t kColumns = 8;  // the search fits all of them

SearchCase any_case() {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::size_t>(20, 120);
  const Kind kind = *rc::gen::element(Kind::binary, Kind::normal, Kind::counts);
  SearchCase c{columns_of(kind, rows, kColumns, random)};
  c.intercept = *rc::gen::arbitrary<bool>();
  return c;
}

double margin_of(const SearchCase& c, const Subset& subset, std::size_t row) {
  double margin = subset.model.intercept;
  for (std::size_t k = 0; k < subset.columns.size(); ++k) {
    margin += subset.model.weights[k] * c.data.x[row][subset.columns[k]];
  }
  return margin;
}

// The weight of the rows on the wrong side.
double errors_of(const SearchCase& c, const Subset& subset) {
  double errors = 0;
  for (std::size_t i = 0; i < c.data.y.size(); ++i) {
    const bool wrong = (margin_of(c, subset, i) > 0) != (c.data.y[i] > 0);
    errors += wrong ? c.data.s[i] : 0;
  }
  return errors;
}

// A margin near zero may have another sign in a rougher fit.
bool is_close(const SearchCase& c, const Subset& subset) {
  for (std::size_t i = 0; i < c.data.y.size(); ++i) {
    if (std::fabs(margin_of(c, subset, i)) < 0.05) return true;
  }
  return false;
}

RC_GTEST_PROP(SubsetErrors, EachFeatureAddedLeavesTheFewest, ()) {
  const SearchCase c = any_case();
  const SubsetSearch search = c.search();
  Subset from = search.fit({});
  for (std::size_t k = 1; k <= 3; ++k) {
    double fewest = std::numeric_limits<double>::infinity();
    for (std::uint32_t j = 0; j < kColumns; ++j) {
      Columns columns = from.columns;
      if (std::count(columns.begin(), columns.end(), j) > 0) continue;
      columns.insert(std::upper_bound(columns.begin(), columns.end(), j), j);
      const Subset one_more = search.fit(columns);
      RC_PRE(!is_close(c, one_more));
      fewest = std::min(fewest, errors_of(c, one_more));
    }
    from = search.grow_by_errors(std::move(from), k);
    RC_ASSERT(from.columns.size() == k);
    RC_ASSERT(std::fabs(errors_of(c, from) - fewest) < 1e-9);
  }
}

RC_GTEST_PROP(SubsetErrors, FewerByTwoStandardErrors, ()) {
  const SearchCase c = any_case();
  const SubsetSearch search = c.search();
  const Subset a = search.fit({0, 1, 2}), b = search.fit({3});
  double fewer = 0;
  double variance = 0;
  for (std::size_t i = 0; i < c.data.y.size(); ++i) {
    const bool wrong_a = (margin_of(c, a, i) > 0) != (c.data.y[i] > 0);
    const bool wrong_b = (margin_of(c, b, i) > 0) != (c.data.y[i] > 0);
    const double weight = wrong_a == wrong_b ? 0 : wrong_b ? c.data.s[i] : -c.data.s[i];
    fewer += weight;
    variance += weight * weight;
  }
  RC_PRE(std::fabs(fewer - 2 * std::sqrt(variance)) > 1e-9);
  RC_CLASSIFY(fewer > 2 * std::sqrt(variance));
  RC_ASSERT(search.leaves_fewer_errors(a, b) == (fewer > 2 * std::sqrt(variance)));
}

// One feature is in nearly all rows and lowers the loss a little everywhere; another one is rare
// and decides where it is.
TEST(SubsetErrors, PrefersAFeatureThatDecidesToOneThatOnlyLowersTheLoss) {
  DenseProblem data;
  data.features = 2;
  const auto add = [&](int times, double frequent, double rare, double label) {
    for (int i = 0; i < times; ++i) {
      data.x.push_back({frequent, rare});
      data.y.push_back(label);
      data.s.push_back(1);
    }
  };
  add(40, 1, 0, 1);
  add(100, 1, 0, -1);
  add(400, 0, 0, -1);
  add(8, 0, 1, 1);
  add(2, 0, 1, -1);
  const SearchCase c{data};
  const SubsetSearch search = c.search();
  EXPECT_EQ(search.grow(search.fit({}), 1).columns, Columns{0});
  EXPECT_EQ(search.grow_by_errors(search.fit({}), 1).columns, Columns{1});
}

}  // namespace
}  // namespace thresh::subset_errors_oracle
