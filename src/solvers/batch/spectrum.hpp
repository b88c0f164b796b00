// The largest eigenvalue of the data, which limits the step size.
#pragma once

#include <atomic>
#include <optional>

#include "data/feed/matrix.hpp"
#include "solvers/batch/sliced_matrix.hpp"

namespace thresh {

// The largest eigenvalue of X'SX, S the row weights, with a column of ones for an intercept; always
// positive. Power iteration gives slightly too little, so 1% is added. An iteration takes two
// passes over the data; fewer passes give a lower result. Throws Interrupted once `stop` is true.
// With slices, the sums over columns are theirs, and an iteration has two exchanges and one for
// every block of rows.
inline constexpr int kEigenvaluePasses = 200;
inline constexpr int kGlimpsePasses = 10;
double largest_eigenvalue(const Matrix& matrix, bool intercept, int passes = kEigenvaluePasses,
                          const std::atomic<bool>* stop = nullptr,
                          const std::optional<SlicedMatrix>& sliced = std::nullopt);

}  // namespace thresh
