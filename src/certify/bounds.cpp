#include "certify/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresh {
namespace {

long double log_factorial(std::uint64_t n) {
  return std::lgamma(static_cast<long double>(n) + 1);
}

}  // namespace

long double log_choose(std::uint64_t m, std::uint64_t k) {
  return log_factorial(m) - log_factorial(k) - log_factorial(m - k);
}

long double compression_bound(std::uint64_t m, std::uint64_t k, long double delta) {
  if (k >= m) return std::numeric_limits<long double>::infinity();
  const long double ways = log_choose(m, k) + std::log(static_cast<long double>(m));
  return (ways - std::log(delta)) / static_cast<long double>(m - k);
}

long double update_limit(long double least_epsilon, long double tau, long double radius,
                         long double rounding) {
  const long double square = radius * radius;
  return (least_epsilon - 2 * tau) / (2 * rounding * square) - 2 * tau / square;
}

long double update_bound(long double radius, long double margin) {
  return (radius / margin) * (radius / margin);
}

ExtendedBound extended_update_bound(const std::vector<long double>& margins, long double visits,
                                    long double radius, long double taken) {
  ExtendedBound best{0, 0, std::numeric_limits<long double>::infinity()};
  const long double unit = std::max(radius, taken);
  for (int step = -80; step <= 80; ++step) {
    const long double left = unit * std::exp2(step / 4.0L);
    long double squares = 0;
    for (const long double margin : margins) {
      const long double short_by = std::max(0.0L, left + taken - margin);
      squares += short_by * short_by;
    }
    const long double deviation = std::sqrt(visits * squares);
    const long double bound = update_bound(radius + deviation, left);
    if (bound < best.bound) best = {left + taken, deviation, bound};
  }
  return best;
}

}  // namespace thresh
