// The bounds of Xie, Fan, Verscheure & Ren, "Efficient and Numerically Stable Sparse Learning", as
// numbers. Their learning rate is 1: lambda, tau and weights are to be divided by eta first.
#pragma once

#include <cstdint>

namespace thresh {

// ln of the number of ways to choose k of m.
long double log_choose(std::uint64_t m, std::uint64_t k);

// Theorem 3, eq. 17: with probability 1 - delta over m rows, a model that k of them suffice to
// learn again, and that is right about all of them, is wrong about less than this share of new
// ones. Above 1 it says nothing; infinite if nothing is left of the rows.
long double compression_bound(std::uint64_t m, std::uint64_t k, long double delta);

// Theorem 1, eq. 15: up to this many updates |w|^2 < t R^2 holds in spite of rounding by `rounding`
// (2^-53 in double precision). Not above 0: it never need hold.
long double update_limit(long double least_epsilon, long double tau, long double radius,
                         long double rounding);

// Theorem 2: the number of updates, where `margin` is (1 - epsilon) gamma, what is left of the
// margin of some separating direction after thresholds.
long double update_bound(long double radius, long double margin);

}  // namespace thresh
