// The strongest features, against their gains by dense sums.

#include "polish/screen.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "polish/dense_rows.hpp"
#include "polish/wanted_rows.hpp"

namespace thresh::screen_law {
namespace {

using Slots = std::vector<std::uint32_t>;

constexpr double kRounding = 1e-9;

double weighted_mean(const Vector& values, const Vector& weights) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    total += weights[i];
  }
  return sum / total;
}

// (sum c (y - mean y) (x - mean x))^2 / (sum c (x - mean x)^2 + ridge).
double gain_of(const DenseProblem& data, std::size_t j, double unit, double ridge) {
  Vector x;
  for (const Vector& row : data.x) x.push_back(row[j] * unit);
  const double mean_x = weighted_mean(x, data.s);
  const double mean_y = weighted_mean(data.y, data.s);
  double products = 0, squares = ridge;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += data.s[i] * (data.y[i] - mean_y) * (x[i] - mean_x);
    squares += data.s[i] * (x[i] - mean_x) * (x[i] - mean_x);
  }
  return products * products / squares;
}

bool has(const Slots& slots, std::size_t slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

RC_GTEST_PROP(Screen, FindsTheLargestGains, ()) {
  const DenseProblem data = any_problem();
  const RowView view = any_view();
  const double unit = *rc::gen::element(1.0, 0.3, 10.0);
  const double ridge = *rc::gen::element(0.1, 5.0);
  const auto count = *rc::gen::inRange<std::size_t>(0, 20);
  const Slots got = strongest_slots(to_problem(data).train, view, unit, ridge, count);
  const DenseProblem wanted = wanted_rows(data, view);
  Vector gains;
  double largest = 0;
  for (std::size_t j = 0; j < data.features; ++j) {
    gains.push_back(wanted.x.empty() ? 0 : gain_of(wanted, j, unit, ridge));
    largest = std::max(largest, gains[j]);
  }
  const double rounding = kRounding * largest + 1e-20;
  const auto useful = static_cast<std::size_t>(
      std::count_if(gains.begin(), gains.end(), [&](double gain) { return gain > rounding; }));
  RC_ASSERT(got.size() >= std::min(count, useful));
  RC_ASSERT(got.size() <= std::min(count, data.features));
  for (std::size_t i = 1; i < got.size(); ++i) {
    RC_ASSERT(gains.at(got[i]) <= gains.at(got[i - 1]) + rounding);
  }
  for (std::size_t j = 0; j < data.features; ++j) {
    if (count == 0 || has(got, j) || got.empty()) continue;
    RC_ASSERT(gains[j] <= (got.size() < count ? 0 : gains.at(got.back())) + rounding);
  }
}

// The rows have three copies of two columns, and a column that is always the same.
TEST(Screen, OrdersEqualFeaturesBySlot) {
  DenseProblem data = random_problem(50, 2, 0.5, 4);
  data.features = 7;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double strong = data.y[i] + data.x[i][0], weak = data.x[i][1];
    data.x[i] = {weak, strong, 1, weak, strong, weak, strong};
  }
  const auto source = to_problem(data).train;
  const RowView view;
  EXPECT_EQ(strongest_slots(source, view, 1, 0.1, 2), (Slots{1, 4}));
  EXPECT_EQ(strongest_slots(source, view, 1, 0.1, 4), (Slots{1, 4, 6, 0}));
  Slots all = strongest_slots(source, view, 1, 0.1, 100);
  all.resize(6);  // rounding decides whether the constant column has any gain
  EXPECT_EQ(all, (Slots{1, 4, 6, 0, 3, 5}));
}

// The intercept of the step absorbs the mean of a feature, so a large mean adds nothing.
TEST(Screen, DoesNotRewardAMean) {
  DenseProblem data = random_problem(200, 2, 1, 4);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    data.x[i][0] = 1000 + data.x[i][0];
    data.x[i][1] = data.x[i][1] + data.y[i];
  }
  EXPECT_EQ(strongest_slots(to_problem(data).train, {}, 1, 0.1, 2), (Slots{1, 0}));
}

TEST(Screen, FindsNothingInNoRows) {
  RowView view;
  view.keep = RowView::Keep::held_out;
  EXPECT_EQ(strongest_slots(to_problem(random_problem(5, 2, 1, 1)).train, view, 1, 0.1, 3),
            Slots{});
}

// One class: nothing is left to explain.
TEST(Screen, FindsNothingInOneClass) {
  DenseProblem data = random_problem(20, 3, 1, 1);
  data.y.assign(20, -1);
  EXPECT_EQ(strongest_slots(to_problem(data).train, {}, 1, 0.1, 3), Slots{});
}

}  // namespace
}  // namespace thresh::screen_law
