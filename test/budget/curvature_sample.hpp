// Rows for the quadratic model of the solver `budget`, and its definition: the normal equations of
// a subset, written down and solved.
#pragma once

#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "budget/budget_ridges.hpp"
#include "solvers/budget/curvature.hpp"
#include "sparse/random.hpp"

namespace thresh {

using Vector = std::vector<double>;

inline constexpr double kCurvatureUnit = 0.8;

// Rows of a few features, as they are added. Slots are 3, 6, 9, ..., and some that nobody asked
// for.
struct CurvatureSample {
  std::size_t features = 0;
  bool intercept = false;
  double scale = 1;
  std::vector<Vector> x;  // in units
  Vector margin, slope, curvature;
};

inline std::uint32_t slot_of(std::size_t j) {
  return static_cast<std::uint32_t>(3 * (j + 1));
}

inline CurvatureSample sample(std::size_t features, std::size_t rows, double density,
                              bool intercept, std::uint64_t seed) {
  CurvatureSample s;
  s.features = features;
  s.intercept = intercept;
  Random random(seed);
  s.scale = random.uniform() < 0.5 ? 1 : random.uniform();
  const double alike = 2 * random.uniform();  // features that stand in for each other
  for (std::size_t i = 0; i < rows; ++i) {
    const double common = alike * random.normal();
    Vector x(s.features);
    for (double& value : x) {
      if (random.uniform() < density) value = random.normal() + common;
    }
    s.x.push_back(x);
    s.margin.push_back(random.normal());
    s.slope.push_back(random.normal());
    s.curvature.push_back(random.uniform());
  }
  return s;
}

inline CurvatureSample any_sample(double density) {
  const auto features = *rc::gen::inRange<std::size_t>(1, 10);
  const auto rows = *rc::gen::inRange<std::size_t>(1, *rc::gen::element<std::size_t>(4, 40));
  const bool intercept = *rc::gen::arbitrary<bool>();
  return sample(features, rows, density, intercept, *rc::gen::arbitrary<std::uint64_t>());
}

inline Curvature model_of(const CurvatureSample& s) {
  std::vector<std::uint32_t> candidates;
  for (std::size_t j = 0; j < s.features; ++j) candidates.push_back(slot_of(j));
  Curvature model(candidates, kCurvatureUnit, s.intercept);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    std::vector<std::uint32_t> slots = {1};
    Vector values = {5};
    for (std::size_t j = 0; j < s.features; ++j) {
      if (s.x[i][j] == 0) continue;
      slots.push_back(slot_of(j));
      values.push_back(s.x[i][j] / kCurvatureUnit);
    }
    slots.push_back(1000);
    values.push_back(-5);
    const Row row{slots.data(), values.data(), slots.size(), 1, 1, i};
    model.meet(row);
    model.add(s.margin[i], s.slope[i], s.curvature[i]);
  }
  return model;
}

using FeatureSet = std::uint32_t;  // a bit a feature

struct Minimum {
  double q = 0;
  Vector w;  // by feature, the intercept last
};

// The minimum of Q over the features of the set, and the intercept if there is one.
inline Minimum minimum(const CurvatureSample& s, FeatureSet set) {
  const std::size_t n = s.features + 1;
  std::vector<Vector> a(n, Vector(n + 1));
  const auto in = [&](std::size_t j) { return j < s.features ? (set >> j & 1) != 0 : s.intercept; };
  const auto value = [&](std::size_t i, std::size_t j) { return j < s.features ? s.x[i][j] : 1; };
  Vector ridges = budget_ridges(s.x, s.features);
  ridges.push_back(1e-3);
  for (std::size_t p = 0; p < n; ++p) {
    a[p][p] = in(p) ? ridges[p] : 1;
    for (std::size_t i = 0; in(p) && i < s.x.size(); ++i) {
      const double x = s.scale * value(i, p);
      a[p][n] += (s.curvature[i] * s.margin[i] - s.slope[i]) * x;
      for (std::size_t q = 0; q < n; ++q) {
        if (in(q)) a[p][q] += s.curvature[i] * x * value(i, q);
      }
    }
  }
  Minimum result;
  std::vector<Vector> left = a;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : left[i][p] / left[p][p];
      for (std::size_t q = 0; q <= n; ++q) left[i][q] -= factor * left[p][q];
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    result.w.push_back(left[p][n] / left[p][p]);
    result.q -= a[p][n] * result.w[p] / 2;
  }
  return result;
}

inline std::vector<char> flags(const CurvatureSample& s, FeatureSet set) {
  std::vector<char> result(s.features);
  for (std::size_t j = 0; j < s.features; ++j) result[j] = static_cast<char>(set >> j & 1);
  return result;
}

}  // namespace thresh
