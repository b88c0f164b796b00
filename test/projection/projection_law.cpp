// Projections: the nearest point of a convex set, whichever way it is found.
#include "thresh/projection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "projection/projection_vectors.hpp"
#include "thresh/error.hpp"

namespace thresh::projection_law {
namespace {

constexpr ProjectionMethod kMethods[] = {ProjectionMethod::automatic, ProjectionMethod::sort,
                                         ProjectionMethod::pivot, ProjectionMethod::condat};
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  Vector v;
  double radius = 0;
  Random random;
};

Case any_case(int kinds, bool with_signs) {
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, kinds).as("kind"));
  const auto size =
      *rc::gen::weightedOneOf<std::size_t>(
           {{9, rc::gen::inRange<std::size_t>(0, 50)}, {1, rc::gen::inRange<std::size_t>(0, 5000)}})
           .as("size");
  Random random(*rc::gen::inRange(0, 1 << 30).as("seed"));
  Case result{hard_vector(kind, size, with_signs, random), 0, random};
  result.radius = hard_radius(result.v, result.random);
  return result;
}

bool close(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-12 * std::max(std::fabs(a), std::fabs(b)) + kTiny;
}

long double norm(const Vector& v) {
  long double sum = 0;
  for (const double x : v) sum += std::fabs(x);
  return sum;
}

long double distance(const Vector& a, const Vector& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<long double>(a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

// w is the point of a convex set nearest to v if no vertex u of it has <v - w, u - w> > 0.
// `support` is the largest <v - w, u>; the sum, how far it is from being that of w itself.
void expect_nearest(const Vector& v, const Vector& w, long double support) {
  long double at_w = 0;
  long double scale = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    at_w += (static_cast<long double>(v[i]) - w[i]) * w[i];
    scale += std::fabs(static_cast<long double>(v[i]) * v[i]) + std::fabs(w[i] * w[i]);
  }
  RC_ASSERT(support - at_w <= 1e-12L * (scale + std::fabs(support)));
}

template <class Measure>
long double largest_move(const Vector& v, const Vector& w, Measure measure) {
  long double result = -kInfinity;
  for (std::size_t i = 0; i < v.size(); ++i) result = std::max(result, measure(i, v[i], w[i]));
  return v.empty() ? 0 : result;
}

long double move(std::size_t, double v, double w) {
  return static_cast<long double>(v) - w;
}
long double size_of_move(std::size_t i, double v, double w) {
  return std::fabs(move(i, v, w));
}

RC_GTEST_PROP(Projection, OntoTheSimplexIsTheNearestPoint, ()) {
  const Case c = any_case(kTameKinds, true);
  RC_PRE(!c.v.empty());
  Vector w = c.v;
  const double theta = project_simplex(w, c.radius);
  RC_ASSERT(*std::min_element(w.begin(), w.end()) >= 0);
  const long double scale = norm(c.v) + std::fabs(theta) * static_cast<double>(w.size());
  RC_ASSERT(std::fabs(norm(w) - c.radius) <= 1e-14L * scale);
  expect_nearest(c.v, w, c.radius * largest_move(c.v, w, move));
}

RC_GTEST_PROP(Projection, OntoTheBallIsTheNearestPoint, ()) {
  const Case c = any_case(kTameKinds, true);
  Vector w = c.v;
  const double theta = project_l1_ball(w, c.radius);
  RC_ASSERT(norm(w) <= c.radius + 1e-15L * norm(c.v));
  RC_ASSERT(theta > 0 || w == c.v);
  for (std::size_t i = 0; i < w.size(); ++i) RC_ASSERT(w[i] == 0 || (w[i] > 0) == (c.v[i] > 0));
  if (theta > 0) expect_nearest(c.v, w, c.radius * largest_move(c.v, w, size_of_move));
}

RC_GTEST_PROP(Projection, OntoTheNonNegativeBallIsTheNearestPoint, ()) {
  const Case c = any_case(kTameKinds, true);
  Vector w = c.v;
  project_nonnegative_l1_ball(w, c.radius);
  RC_ASSERT(norm(w) <= c.radius + 1e-15L * norm(c.v));
  for (const double x : w) RC_ASSERT(x >= 0);
  expect_nearest(c.v, w, std::max(0.0L, c.radius * largest_move(c.v, w, move)));
}

RC_GTEST_PROP(Projection, OntoTheWeightedBallIsTheNearestPoint, ()) {
  Case c = any_case(kTameKinds, true);
  Vector a(c.v.size());
  for (double& x : a) x = 0.1 + c.random.uniform();
  if (!a.empty()) a[c.random.below(a.size())] = 0;
  Vector w = c.v;
  const double theta = project_weighted_l1_ball(w, a, c.radius);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (a[i] == 0) {
      RC_ASSERT(w[i] == c.v[i]);
      c.v[i] = w[i] = 0;
      a[i] = 1;
    }
  }
  long double weighted = 0;
  for (std::size_t i = 0; i < w.size(); ++i) weighted += a[i] * std::fabs(w[i]);
  RC_ASSERT(weighted <= c.radius + 1e-15L * norm(c.v));
  RC_ASSERT(theta > 0 || w == c.v);
  const auto measure = [&](std::size_t i, double from, double to) {
    return size_of_move(i, from, to) / a[i];
  };
  if (theta > 0) expect_nearest(c.v, w, c.radius * largest_move(c.v, w, measure));
}

RC_GTEST_PROP(Projection, WeightsOfOneChangeNothing, ()) {
  const Case c = any_case(kTameKinds, true);
  Vector plain = c.v;
  Vector weighted = c.v;
  const double theta = project_l1_ball(plain, c.radius);
  const double other = project_weighted_l1_ball(weighted, Vector(c.v.size(), 1.0), c.radius);
  RC_ASSERT(std::fabs(theta - other) <= 1e-12 * theta + 1e-18L * norm(c.v));
}

RC_GTEST_PROP(Projection, MethodsAgree, ()) {
  const Case c = any_case(kKinds, *rc::gen::arbitrary<bool>());
  const double theta = simplex_threshold(c.v, c.radius, ProjectionMethod::sort);
  Vector w = c.v;
  const double ball = project_l1_ball(w, c.radius, ProjectionMethod::sort);
  for (const ProjectionMethod method : kMethods) {
    RC_ASSERT(close(simplex_threshold(c.v, c.radius, method), theta));
    Vector other = c.v;
    RC_ASSERT(close(project_l1_ball(other, c.radius, method), ball));
    for (std::size_t i = 0; i < w.size(); ++i) {
      RC_ASSERT(std::fabs(w[i] - other[i]) <= 1e-12 * ball + kTiny);
    }
    other = c.v;
    project_nonnegative_l1_ball(other, c.radius, method);
    RC_ASSERT(std::all_of(other.begin(), other.end(), [](double x) { return x >= 0; }));
  }
}

RC_GTEST_PROP(Projection, ThresholdMatchesASortInLongDouble, ()) {
  const Case c = any_case(kTameKinds, true);
  RC_PRE(!c.v.empty() && c.radius > 0);
  Vector sorted = c.v;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  long double sum = 0;
  long double size = 0;
  long double theta = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto count = static_cast<long double>(i + 1);
    if (i > 0 && sorted[i] <= (sum + sorted[i] - c.radius) / count) break;
    sum += sorted[i];
    size += std::fabs(sorted[i]);
    theta = (sum - c.radius) / count;
  }
  const long double found = simplex_threshold(c.v, c.radius);
  RC_ASSERT(std::fabs(found - theta) <= 1e-15L * std::fabs(theta) + 1e-18L * (size + c.radius));
}

RC_GTEST_PROP(Projection, TwiceIsOnce, ()) {
  const Case c = any_case(kTameKinds, true);
  Vector once = c.v;
  const double theta = project_l1_ball(once, c.radius);
  Vector twice = once;
  RC_ASSERT(project_l1_ball(twice, c.radius) <= 1e-14 * (theta + c.radius));
}

RC_GTEST_PROP(Projection, BringsPointsNoFurtherApart, ()) {
  Case c = any_case(kTameKinds, true);
  Vector a = c.v;
  Vector b = hard_vector(Kind::normal, c.v.size(), true, c.random);
  const long double before = distance(a, b);
  project_l1_ball(a, c.radius);
  project_l1_ball(b, c.radius);
  RC_ASSERT(distance(a, b) <= before * (1 + 1e-12L));
}

TEST(Projection, KnownThresholds) {
  for (const ProjectionMethod method : kMethods) {
    const auto theta = [&](const Vector& v, double radius) {
      return simplex_threshold(v, radius, method);
    };
    EXPECT_EQ(theta({3, 1, 2}, 1), 2);
    EXPECT_EQ(theta({3, 1, 2}, 12), -2);
    EXPECT_EQ(theta({5}, 2), 3);
    EXPECT_EQ(theta({}, 2), 0);
    EXPECT_EQ(theta({-1, -7, -1}, 0), -1);
    EXPECT_EQ(theta(Vector(1000, 0.5), 100), 0.4);
    // Sums that no double, and no pair of doubles, can hold.
    EXPECT_DOUBLE_EQ(theta({1e300, 1, 2, 3}, 1e300), 5.0 / 3);
    EXPECT_DOUBLE_EQ(theta({1e300, 1e-300, 2e-300, 3e-300}, 1e300), 5e-300 / 3);
    EXPECT_DOUBLE_EQ(theta(Vector(7, 1.5e308), 0.7e308), 1.4e308);
    EXPECT_DOUBLE_EQ(theta({-1e308, 1e308}, 1.7e308), -0.7e308);
    EXPECT_EQ(theta({kTiny, 3 * kTiny}, 2 * kTiny), kTiny);
  }
}

TEST(Projection, ReachesTheSimplexFromTheFarEnd) {
  for (const ProjectionMethod method : kMethods) {
    Vector v = {-1.7e308, -1.7e308};
    EXPECT_EQ(project_simplex(v, 1.6e308, method), -kInfinity);
    for (const double w : v) EXPECT_DOUBLE_EQ(w, 0.8e308);
  }
}

TEST(Projection, LargeVectorsAgree) {
  Random random(5);
  for (const Kind kind : {Kind::normal, Kind::narrow, Kind::ties}) {
    const Vector v = hard_vector(kind, 200'000, true, random);
    for (const double radius : {1.0, 1000.0, 90'000.0, 1e9}) {
      const double theta = simplex_threshold(v, radius, ProjectionMethod::sort);
      for (const ProjectionMethod method : kMethods) {
        EXPECT_TRUE(close(simplex_threshold(v, radius, method), theta)) << name_of(method);
      }
    }
  }
}

// The fastest method looks at 32 pieces of a long vector first; here they are not like the rest.
TEST(Projection, IsNotMisledByASample) {
  Vector v(1 << 16, 0.5);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i % (v.size() / 32) < 32) v[i] = -1;
  }
  for (const double radius : {1.0, 100.0, 600.0, 1e4, 1e5}) {
    Vector fast = v;
    Vector slow = v;
    EXPECT_EQ(project_l1_ball(fast, radius), project_l1_ball(slow, radius, ProjectionMethod::sort));
    EXPECT_EQ(fast, slow);
  }
}

TEST(Projection, RefusesWhatIsNotANumberAndLeavesTheVector) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ProjectionMethod method : kMethods) {
    for (const double radius : {0.0, 1.0, 1e300}) {
      for (const double bad : {nan, kInfinity, -kInfinity}) {
        Vector v = {1, bad, 3};
        EXPECT_THROW(project_simplex(v, radius, method), Error);
        EXPECT_THROW(project_l1_ball(v, radius, method), Error);
        EXPECT_THROW(project_nonnegative_l1_ball(v, radius, method), Error);
        EXPECT_THROW(project_weighted_l1_ball(v, Vector(3, 1.0), radius), Error);
        EXPECT_EQ(v[0], 1);
        EXPECT_EQ(v[2], 3);
      }
    }
    for (const double radius : {-1.0, nan, kInfinity}) {
      Vector v = {1};
      EXPECT_THROW(project_simplex(v, radius, method), Error);
      EXPECT_THROW(project_l1_ball(v, radius, method), Error);
      EXPECT_THROW(project_weighted_l1_ball(v, v, radius), Error);
    }
  }
  Vector v = {1, 2};
  EXPECT_THROW(project_weighted_l1_ball(v, Vector{1, -1}, 1), Error);
  EXPECT_THROW(project_weighted_l1_ball(v, Vector{1, nan}, 1), Error);
  EXPECT_THROW(project_weighted_l1_ball(v, Vector{1}, 1), UsageError);
}

TEST(Projection, MethodsHaveNames) {
  for (const ProjectionMethod method : kMethods) {
    EXPECT_EQ(projection_method(name_of(method)), method);
  }
  EXPECT_THROW(projection_method("tree"), UsageError);
}

}  // namespace
}  // namespace thresh::projection_law
