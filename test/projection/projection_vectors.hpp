// Vectors that projections find hard, by kind and seed.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sparse/random.hpp"

namespace thresh {

using Vector = std::vector<double>;

enum class Kind { normal, uniform, ties, mostly_zero, narrow, wide, denormal, overflowing, powers };
constexpr int kKinds = 9;
constexpr int kTameKinds = 5;  // the first ones, whose sums a long double holds well

inline double hard_magnitude(Kind kind, Random& random) {
  switch (kind) {
    case Kind::normal:
      return std::fabs(random.normal());
    case Kind::uniform:
      return random.uniform();
    case Kind::ties:
      return static_cast<double>(random.below(4));
    case Kind::mostly_zero:
      return random.below(10) == 0 ? random.uniform() : 0;
    case Kind::narrow:
      return 1 + 1e-3 * random.uniform();
    case Kind::wide:
      return std::pow(10, 600 * random.uniform() - 300);
    case Kind::denormal:
      return static_cast<double>(random.below(50)) * std::numeric_limits<double>::denorm_min();
    case Kind::overflowing:
      return std::numeric_limits<double>::max() * random.uniform();
    case Kind::powers:
      return std::ldexp(1, static_cast<int>(random.below(200)) - 100);
  }
  return 0;
}

inline Vector hard_vector(Kind kind, std::size_t size, bool with_signs, Random& random) {
  Vector v(size);
  for (double& x : v) {
    x = hard_magnitude(kind, random);
    if (with_signs && random.below(2) == 0) x = -x;
  }
  return v;
}

// Inside, on the edge but for a rounding, and outside of the ball; tiny and huge.
inline double hard_radius(const Vector& v, Random& random) {
  double norm = 0;
  for (const double x : v) norm += std::fabs(x);
  if (!std::isfinite(norm)) norm = std::numeric_limits<double>::max();
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return norm;
    case 2:
      return norm * (1 - 1e-15);
    case 3:
      return norm * 1e-9;
    case 4:
      return std::min(2 * norm, std::numeric_limits<double>::max());
    case 5:
      return std::pow(10, 600 * random.uniform() - 300);
    default:
      return norm * random.uniform();
  }
}

}  // namespace thresh
