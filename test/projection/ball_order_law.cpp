// The two structures that keep a ball's values in order, against sorting them anew each time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "projection/ball_buckets.hpp"
#include "projection/ball_tree.hpp"
#include "projection/projection_vectors.hpp"
#include "thresh/error.hpp"
#include "thresh/projection.hpp"

namespace thresh::ball_order_law {
namespace {

bool close(double a, double b) {
  return std::fabs(a - b) <=
         1e-12 * std::max(std::fabs(a), std::fabs(b)) + std::numeric_limits<double>::denorm_min();
}

// What the structures are for, without any cleverness.
class Naive {
 public:
  void insert(double raw) {
    if (raw > shift_) values_.push_back(raw);
  }
  void erase(double raw) { values_.erase(std::find(values_.begin(), values_.end(), raw)); }
  double project(double radius) {
    if (values_.empty()) return shift_;
    set_shift(std::max(shift_, simplex_threshold(values_, radius, ProjectionMethod::sort)));
    return shift_;
  }
  // The last digit may differ, and must not decide what is stored from there on.
  void set_shift(double shift) {
    shift_ = shift;
    std::erase_if(values_, [this](double raw) { return raw <= shift_; });
  }
  const Vector& values() const { return values_; }
  double shift() const { return shift_; }

 private:
  Vector values_;
  double shift_ = 0;
};

double total(const Vector& raw, double shift) {
  double sum = 0;
  for (const double value : raw) sum += value - shift;
  return sum;
}

// A radius that often cuts, by a little or a lot.
double any_radius(const Naive& naive, Random& random) {
  const double norm = total(naive.values(), naive.shift());
  const double shares[] = {0, 1e-6, 0.5, 0.9, 0.999, 1, 1.5};
  const double radius = norm * shares[random.below(std::size(shares))];
  return std::isfinite(radius) ? radius : 1e308;
}

struct Twins {
  Naive naive;
  BallTree tree;
  BallBuckets buckets;

  void insert(double raw) {
    naive.insert(raw);
    tree.insert(raw);
    buckets.insert(raw);
  }
  void erase(double raw) {
    naive.erase(raw);
    tree.erase(raw);
    buckets.erase(raw);
  }
  void project(double radius) {
    const double expected = naive.project(radius);
    const double by_tree = tree.project(radius);
    const double by_buckets = buckets.project(radius);
    RC_ASSERT(close(by_tree, expected));
    RC_ASSERT(close(by_buckets, expected));
    RC_ASSERT(by_tree == by_buckets);
    naive.set_shift(by_buckets);
    RC_ASSERT(tree.size() == naive.values().size());
    RC_ASSERT(buckets.size() == naive.values().size());
  }
};

// A value that a solver could store: a magnitude on top of the shift.
double any_raw(Kind kind, double shift, Random& random) {
  const double raw = shift + hard_magnitude(kind, random);
  return std::isfinite(raw) ? raw : std::numeric_limits<double>::max();
}

void run_twins(Kind kind, std::size_t steps, std::size_t changes, Random& random) {
  Twins twins;
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < changes; ++i) {
      const auto& stored = twins.naive.values();
      if (!stored.empty() && random.below(3) == 0) {
        twins.erase(double{stored[random.below(stored.size())]});
      } else {
        twins.insert(any_raw(kind, twins.naive.shift(), random));
      }
    }
    twins.project(any_radius(twins.naive, random));
  }
}

RC_GTEST_PROP(BallOrder, MatchesSortingAnew, ()) {
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, kKinds).as("kind"));
  const auto steps = *rc::gen::inRange<std::size_t>(1, 12).as("steps");
  const auto changes = *rc::gen::inRange<std::size_t>(1, 300).as("changes");
  Random random(*rc::gen::inRange(0, 1 << 30).as("seed"));
  run_twins(kind, steps, changes, random);
}

// Many steps, with values that leave and come back as a solver's do.
TEST(BallOrder, StaysExactOverManySteps) {
  Random random(3);
  BallTree tree;
  BallBuckets buckets;
  Vector raw(5000, 0);
  for (int step = 0; step < 300; ++step) {
    for (int i = 0; i < 50; ++i) {
      double& value = raw[random.below(raw.size())];
      const double magnitude = value > tree.shift() ? value - tree.shift() : 0;
      if (magnitude > 0) {
        tree.erase(value);
        buckets.erase(value);
      }
      value = std::fabs(magnitude + random.normal()) + tree.shift();
      tree.insert(value);
      buckets.insert(value);
    }
    const double theta = tree.project(30);
    ASSERT_DOUBLE_EQ(buckets.project(30), theta);
    ASSERT_EQ(buckets.size(), tree.size());
    Vector magnitudes;
    for (const double value : raw) {
      if (value > theta) magnitudes.push_back(value - theta);
    }
    ASSERT_EQ(magnitudes.size(), tree.size());
    ASSERT_LE(total(magnitudes, 0), 30 * (1 + 1e-12));
  }
  EXPECT_GT(tree.shift(), 1);
  tree.clear();
  buckets.clear();
  EXPECT_EQ(tree.size() + buckets.size(), 0u);
  EXPECT_EQ(tree.shift() + buckets.shift(), 0);
}

TEST(BallOrder, ManyEqualValuesCostNoMore) {
  BallBuckets buckets;
  constexpr std::size_t kCount = 300'000;  // quadratic time would not end
  for (std::size_t i = 0; i < kCount; ++i) buckets.insert(0.1);
  buckets.insert(0.3);
  for (std::size_t i = 0; i < kCount / 2; ++i) buckets.erase(0.1);
  EXPECT_EQ(buckets.size(), kCount / 2 + 1);
  EXPECT_DOUBLE_EQ(buckets.project(0.2), 0.1);
  EXPECT_LE(buckets.project(0.1), 0.2);
  EXPECT_EQ(buckets.size(), 1u);
}

template <class Ball>
void expect_manners() {
  Ball ball;
  EXPECT_EQ(ball.project(1), 0);
  EXPECT_THROW(ball.project(-1), Error);
  EXPECT_THROW(ball.insert(std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(ball.erase(1), Error);
  ball.insert(0);
  ball.insert(-1);
  EXPECT_EQ(ball.size(), 0u);
  for (const double raw : {1.0, 2.0, 3.0, 3.0}) ball.insert(raw);
  EXPECT_THROW(ball.erase(2.5), Error);
  EXPECT_EQ(ball.project(9), 0) << "on the edge";
  EXPECT_EQ(ball.project(2), 2);
  EXPECT_EQ(ball.size(), 2u) << "1 and 2 are zeros now";
  EXPECT_EQ(ball.project(3), 2) << "a shift is never taken back";
  ball.erase(2);
  ball.insert(2);
  EXPECT_EQ(ball.size(), 2u) << "zeros are not stored";
  EXPECT_EQ(ball.project(0), 3);
  EXPECT_EQ(ball.size(), 0u);
}

TEST(BallOrder, TreeHasManners) {
  expect_manners<BallTree>();
}
TEST(BallOrder, BucketsHaveManners) {
  expect_manners<BallBuckets>();
}

}  // namespace
}  // namespace thresh::ball_order_law
