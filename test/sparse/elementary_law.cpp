// exp, log and the like: near enough to the true values, and the same bits on every machine.

#include "math/elementary.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <limits>

#include "sparse/random.hpp"

namespace thresh::elementary_law {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiniest = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

using Draw = std::function<double(Random&)>;

Draw between(double low, double high) {
  return [=](Random& random) { return low + (high - low) * random.uniform(); };
}

// Of all magnitudes between two powers of 2.
Draw powers(double low, double high) {
  return [=](Random& random) {
    const double exponent = std::floor(low + (high - low) * random.uniform());
    return std::ldexp(1 + random.uniform(), static_cast<int>(exponent));
  };
}

double any_bits(Random& random) {
  return std::bit_cast<double>(random.next());
}

// In units of the last place of the true value.
double error_of(double got, long double truth) {
  const auto nearest = static_cast<double>(truth);
  if (std::isnan(nearest)) return std::isnan(got) ? 0 : kEndless;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : kEndless;
  int exponent = -2000;
  if (truth != 0) std::frexp(truth, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(got - truth) / unit);
}

template <class Function, class Truth>
void expect_near(Function function, Truth truth, const Draw& draw, int draws = 100000) {
  Random random(1);
  double worst = 0, at = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = draw(random);
    const double got = function(x);
    const double error = error_of(got, truth(static_cast<long double>(x)));
    if (error <= worst) continue;
    worst = error;
    at = x;
  }
  EXPECT_LE(worst, 0.9) << "at " << std::hexfloat << at;
}

// On runs of neighbours.
template <class Function>
void expect_ascending(Function function, const Draw& draw) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    double x = draw(random);
    double value = function(x);
    for (int k = 0; k < 20; ++k) {
      const double next = std::nextafter(x, kEndless);
      const double after = function(next);
      ASSERT_LE(value, after) << std::hexfloat << x;
      x = next;
      value = after;
    }
  }
}

// Equal, with the sign of zeros; any NaN is a NaN.
::testing::AssertionResult same(double a, double b) {
  const bool equal = std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
  if (equal) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hexfloat << a << " instead of " << b;
}

TEST(Exp, IsNearTheTruth) {
  const auto truth = [](long double x) { return std::exp(x); };
  expect_near(portable::exp, truth, between(-1, 1));
  expect_near(portable::exp, truth, between(-708, 709.8), 300000);
  expect_near(portable::exp, truth, between(-746, -707));  // subnormal
  expect_near(portable::exp, truth, powers(-1074, 10));
  expect_near(portable::exp, truth, any_bits);
}

TEST(Exp, HasItsSpecialValues) {
  EXPECT_TRUE(same(portable::exp(0), 1));
  EXPECT_TRUE(same(portable::exp(-0.0), 1));
  EXPECT_TRUE(same(portable::exp(-kEndless), 0));
  EXPECT_TRUE(same(portable::exp(kEndless), kEndless));
  EXPECT_TRUE(same(portable::exp(kNan), kNan));
  EXPECT_TRUE(same(portable::exp(0x1.62e42fefa39fp9), kEndless));  // the first beyond a double
  EXPECT_LT(portable::exp(0x1.62e42fefa39efp9), kEndless);
  EXPECT_TRUE(same(portable::exp(-0x1.74910d52d3052p9), 0));  // the first below half the smallest
  EXPECT_TRUE(same(portable::exp(-0x1.74910d52d3051p9), kTiniest));
}

TEST(Exp, Ascends) {
  expect_ascending(portable::exp, between(-1, 1));
  expect_ascending(portable::exp, between(-746, 710));
  // Where one entry of the table follows another.
  expect_ascending(portable::exp, [](Random& random) {
    const double half = 0.5 + static_cast<double>(random.below(2000)) - 1000;
    return half * (0.69314718055994531 / 128) * (1 - 1e-15);
  });
}

TEST(Log, IsNearTheTruth) {
  const auto truth = [](long double x) { return std::log(x); };
  expect_near(portable::log, truth, between(0.5, 2), 300000);
  expect_near(portable::log, truth, between(0.98, 1.02), 300000);
  expect_near(portable::log, truth, powers(-1074, 1024));
  expect_near(portable::log, truth, any_bits);
}

TEST(Log, HasItsSpecialValues) {
  EXPECT_TRUE(same(portable::log(1), 0));
  EXPECT_TRUE(same(portable::log(0), -kEndless));
  EXPECT_TRUE(same(portable::log(-0.0), -kEndless));
  EXPECT_TRUE(same(portable::log(kEndless), kEndless));
  for (const double x : {-1.0, -kTiniest, -kEndless, kNan}) {
    EXPECT_TRUE(same(portable::log(x), kNan));
  }
}

TEST(Log, Ascends) {
  expect_ascending(portable::log, between(0.7, 1.42));
  expect_ascending(portable::log, powers(-1074, 1023));
}

TEST(Log1p, IsNearTheTruth) {
  const auto truth = [](long double x) { return std::log1p(x); };
  expect_near(portable::log1p, truth, between(-1, 1), 300000);
  expect_near(portable::log1p, truth, between(-0.02, 0.02), 300000);
  expect_near(portable::log1p, truth, powers(-60, 0), 300000);
  expect_near(portable::log1p, truth, powers(-1074, 1024));
  const Draw sizes = powers(-60, 0);
  expect_near(portable::log1p, truth, [&](Random& random) { return -sizes(random); });
}

TEST(Log1p, HasItsSpecialValues) {
  EXPECT_TRUE(same(portable::log1p(0), 0));
  EXPECT_TRUE(same(portable::log1p(-0.0), -0.0));
  EXPECT_TRUE(same(portable::log1p(kTiniest), kTiniest));
  EXPECT_TRUE(same(portable::log1p(-1), -kEndless));
  EXPECT_TRUE(same(portable::log1p(kEndless), kEndless));
  for (const double x : {std::nextafter(-1.0, -2.0), -kEndless, kNan}) {
    EXPECT_TRUE(same(portable::log1p(x), kNan));
  }
}

TEST(Log1p, Ascends) {
  expect_ascending(portable::log1p, between(-0.99, 1.5));
  expect_ascending(portable::log1p, powers(-60, 62));
}

TEST(Sinh, IsNearTheTruth) {
  const auto truth = [](long double x) { return std::sinh(x); };
  expect_near(portable::sinh_within_half, truth, between(-0.5, 0.5), 300000);
  expect_near(portable::sinh_within_half, truth, powers(-1074, -1));
  EXPECT_TRUE(same(portable::sinh_within_half(-0.0), -0.0));
  expect_ascending(portable::sinh_within_half, between(-0.5, 0.499));
}

TEST(Pow, IsNearTheTruth) {
  // An exponent for every base, so that the results are of all magnitudes.
  Random exponents(3);
  double y = 0;
  const auto expect_near_for = [&](const Draw& bases, const std::function<double(double)>& draw) {
    expect_near([&](double x) { return portable::pow(x, y = draw(x)); },
                [&](long double x) { return std::pow(x, static_cast<long double>(y)); }, bases,
                60000);
  };
  const auto any_result = [&](double x) {
    return (1480 * exponents.uniform() - 760) / std::log(x);
  };
  expect_near_for(between(0, 1), [&](double) { return 60 * exponents.uniform(); });
  expect_near_for(powers(-1074, 1024), any_result);
  expect_near_for(between(0.98, 1.02), any_result);
  const Draw distances = powers(-52, -1);
  expect_near_for([&](Random& random) { return 1 - distances(random); }, any_result);
  expect_near_for(between(-40, 40),
                  [&](double) { return static_cast<double>(exponents.below(201)) - 100; });
  expect_near_for(any_bits, [&](double) { return any_bits(exponents); });
}

TEST(Pow, HasItsSpecialValues) {
  // glibc knows them, whatever its last bits are.
  const double all[] = {0,      1,      2,          3,         0.5,         2.5,        1024,
                        1074,   1e20,   1e-9,       kTiniest,  kLargest,    kEndless,   kNan,
                        0x1p53, 0x1p64, 0x1p53 + 2, 0x1p-1022, 1 + 0x1p-52, 1 - 0x1p-53};
  for (const double size_x : all) {
    for (const double size_y : all) {
      for (const double x : {size_x, -size_x}) {
        for (const double y : {size_y, -size_y}) {
          const double got = portable::pow(x, y), expected = std::pow(x, y);
          const bool ordinary = std::isnormal(expected) && std::isnormal(got);
          EXPECT_TRUE(ordinary ? std::fabs(got / expected - 1) < 1e-15 : bool(same(got, expected)))
              << x << " to " << y << ": " << got << ", not " << expected;
        }
      }
    }
  }
}

RC_GTEST_PROP(Pow, ExactPowersAreExact, ()) {
  const auto base = static_cast<double>(*rc::gen::inRange(-1000, 1000));
  const int exponent = *rc::gen::inRange(0, 5);
  double product = 1;
  for (int i = 0; i < exponent; ++i) product *= base;
  RC_ASSERT(portable::pow(base, exponent) == product);
  const int binary = *rc::gen::inRange(-1074, 1024);
  RC_ASSERT(portable::pow(2, binary) == std::ldexp(1, binary));
  RC_ASSERT(portable::pow(base * base, 0.5) == std::fabs(base));
}

RC_GTEST_PROP(Log, IsTheInverseOfExp, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const double x = 1400 * random.uniform() - 700;
  RC_ASSERT(std::fabs(portable::log(portable::exp(x)) - x) <= 0x1p-52 * (1 + std::fabs(x)));
  RC_ASSERT(std::fabs(portable::exp(x) * portable::exp(-x) - 1) <= 0x1p-51);
}

// A checksum of many results. It is a constant: of all machines, compilers and libraries.
TEST(Elementary, HasTheSameBitsEverywhere) {
  Random random(5);
  std::uint64_t sum = 0;
  const auto add = [&](double value) {
    sum = mix(sum ^ std::bit_cast<std::uint64_t>(value)) + 0x9e3779b97f4a7c15;
  };
  for (int i = 0; i < 20000; ++i) {
    const double x = 1490 * random.uniform() - 748;
    add(portable::exp(x));
    add(portable::exp(x / 1000));
    add(portable::log1p(portable::exp(x / 20)));
    const double positive = std::ldexp(1 + random.uniform(), static_cast<int>(x / 2));
    add(portable::log(positive));
    add(portable::log1p(random.uniform() - 0.9));
    add(portable::pow(positive, x / 300));
    add(portable::sinh_within_half(random.uniform() - 0.5));
  }
  EXPECT_EQ(sum, 4441698165986017137U);
}

}  // namespace
}  // namespace thresh::elementary_law
