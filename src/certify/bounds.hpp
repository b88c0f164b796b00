// The bounds of Xie, Fan, Verscheure & Ren, "Efficient and Numerically Stable Sparse Learning", as
// numbers. The paper's learning rate is 1: divide lambda, tau and weights by eta first.
#pragma once

#include <cstdint>
#include <vector>

namespace thresh {

// ln of the number of ways to choose k of m.
long double log_choose(std::uint64_t m, std::uint64_t k);

// Theorem 3, eq. 17: with probability 1 - delta over m rows, a model that can be learned again from
// k of them, and has no errors on the m rows, has an error below this on new rows. Above 1 it is
// vacuous; infinite if k >= m.
long double compression_bound(std::uint64_t m, std::uint64_t k, long double delta);

// Theorem 1, eq. 15: up to this many updates |w|^2 < t R^2 holds despite rounding by `rounding`
// (2^-53 in double precision). If this is not above 0, it need never hold.
long double update_limit(long double least_epsilon, long double tau, long double radius,
                         long double rounding);

// Theorem 2: a bound on the number of updates. `margin` is (1 - epsilon) gamma: the margin of some
// separating direction, less what thresholds remove.
long double update_bound(long double radius, long double margin);

// The same for rows that are not separable, by the extension of Freund & Schapire (1998): every
// visit t gets an extra coordinate, in which u compensates the deviation
// d_t = max(0, gamma - y <u, x>). Then there are at most ((R + D) / (gamma - taken))^2 updates,
// D^2 = sum of d_t^2 over all visits, for every gamma above `taken`, the lambda |u|_1 that
// thresholds take. The gamma with the smallest bound is found on a grid.
struct ExtendedBound {
  long double gamma = 0, deviation = 0, bound = 0;
};
// `margins` are the y <u, x> of all rows, each visited at most `visits` times.
ExtendedBound extended_update_bound(const std::vector<long double>& margins, long double visits,
                                    long double radius, long double taken);

}  // namespace thresh
