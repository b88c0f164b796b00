// Theorem 2 of Shalev-Shwartz & Tewari: the best of several runs of scd.
#pragma once

#include "thresh/fit.hpp"

namespace thresh {

// Runs r = ceil(log2(1/delta)) times with the seeds options.seed, options.seed + 1, ... and returns
// the result with the smallest objective, which equals that of a single run with its seed. If
// Theorem 1 applies, twice its bound holds for the result with probability 1 - delta.
FitResult best_of_runs(const Problem& problem, const Options& options, const Model* start,
                       Observer* observer);

}  // namespace thresh
