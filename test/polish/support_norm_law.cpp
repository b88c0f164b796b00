// The squared k-support norm and its proximal map, against their definitions.

#include "polish/support_norm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sparse/random.hpp"

namespace thresh::support_norm_law {
namespace {

std::vector<double> any_vector(std::size_t n, Random& random) {
  std::vector<double> all(n);
  for (double& each : all) each = random.uniform() < 0.2 ? 0 : std::exp(random.normal()) - 1;
  return all;
}

struct Case {
  std::vector<double> p;
  std::vector<char> kept;
  std::size_t features;
  SupportNorm norm() const { return {features, kept}; }
};

Case any_case(Random& random) {
  Case c;
  c.p = any_vector(1 + random.below(20), random);
  c.kept.resize(c.p.size());
  for (char& each : c.kept) each = random.uniform() < 0.1 ? 1 : 0;
  c.features = 1 + random.below(c.p.size());
  return c;
}

double prox_objective(const Case& c, std::vector<double> w, double tau) {
  double sum = tau / 2 * c.norm().value(w);
  for (std::size_t j = 0; j < w.size(); ++j) sum += (w[j] - c.p[j]) * (w[j] - c.p[j]) / 2;
  return sum;
}

// Half the squared norm and half the squared dual norm are conjugates: <w, g> is never larger than
// their sum, with equality where g is a slope.
RC_GTEST_PROP(SupportNorm, TheDualNormIsItsConjugate, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Case c = any_case(random);
  const SupportNorm norm = c.norm();
  const std::vector<double> g = any_vector(c.p.size(), random);
  const auto inner = [&](const std::vector<double>& a) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += c.p[j] * a[j];
    return sum;
  };
  RC_ASSERT(inner(g) <= (norm.value(c.p) + norm.dual(g)) / 2 + 1e-9);
  // The prox w of p with tau 1 has the slope p - w.
  std::vector<double> w = c.p, slope = c.p;
  norm.move(w, 1);
  double product = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    slope[j] -= w[j];
    product += w[j] * slope[j];
  }
  RC_ASSERT(std::fabs(product - (norm.value(w) + norm.dual(slope)) / 2) <= 1e-9 * (1 + product));
}

RC_GTEST_PROP(SupportNorm, NoPointNearbyIsBetterThanTheProx, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Case c = any_case(random);
  const double tau = std::exp(2 * random.normal());
  std::vector<double> w = c.p;
  c.norm().move(w, tau);
  const double least = prox_objective(c, w, tau);
  for (int draw = 0; draw < 20; ++draw) {
    std::vector<double> other = w;
    for (double& each : other) each += (draw % 2 == 0 ? 1e-3 : 0.5) * random.normal();
    RC_ASSERT(prox_objective(c, other, tau) >= least - 1e-12 * (1 + least));
  }
}

TEST(SupportNorm, IsTheSquareForFewNonZeros) {
  const SupportNorm norm(2);
  EXPECT_DOUBLE_EQ(norm.value(std::vector<double>{3, 0, -4}), 25);
  EXPECT_DOUBLE_EQ(SupportNorm(1).value(std::vector<double>{3, 0, -4}), 49);  // |w|_1^2
  EXPECT_DOUBLE_EQ(norm.dual(std::vector<double>{1, -2, 3}), 13);
}

RC_GTEST_PROP(SupportNorm, ItsPiecesAddUp, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Case c = any_case(random);
  const SupportNorm::Pieces pieces = c.norm().pieces(c.p);
  double sum = 0, shared = 0;
  for (const std::uint32_t j : pieces.whole) sum += c.p[j] * c.p[j];
  for (const std::uint32_t j : pieces.shared) shared += std::fabs(c.p[j]);
  if (shared > 0) sum += shared * shared / pieces.places;
  const double value = c.norm().value(c.p);
  RC_ASSERT(std::fabs(sum - value) <= 1e-9 * value);
}

}  // namespace
}  // namespace thresh::support_norm_law
