// The solver `budget` with --slices, where more than one run of one size is asked for: a search, a
// fit with a ridge. First a run on divided features finds the best of them, some ten thousand (the
// screening). Then rows that have no others go to one process, which does with them what it would
// do without slices.
#pragma once

#include <functional>

#include "thresh/cluster.hpp"
#include "thresh/fit.hpp"

namespace thresh {

// Whether these options ask for more than a single divided run can do. (A run that keeps the scores
// of held-out rows is one of a search.)
bool needs_screening(const Options& options);

// What one process does afterwards.
struct Screened {
  Problem problem;  // on the rank that wants it; on others without rows
  Options options;  // without slices
};

// Every rank must call it, for the same rank. Held-out rows take no part in the screening. Throws
// UsageError for what looks at features that it drops.
Screened screen(const Problem& problem, const Options& options, std::size_t wanted_by = 0,
                Observer* observer = nullptr);

// Records in all models of a result the slices of the screening.
void record_slices(const Options& options, FitResult& result);

// fit() after a screening.
FitResult fit_screened(const Problem& problem, const Options& options, Observer* observer);

// What rank 0 gets, on all ranks.
FitResult from_first_rank(Comm& ranks, const std::function<FitResult()>& fit);

}  // namespace thresh
