// The eigenvalues of X_J'X_J for some sets J of columns.
//
// For every J of at most 2k columns the constants of restricted isometry satisfy
// (1 - delta) c <= eigenvalues <= (1 + delta) c, with c the scale of X. So the extremes over any
// sets bound delta_2k from below: delta_2k >= (L - l) / (L + l) for any scale. Smaller sets give a
// weaker but valid bound. No number of sets gives an upper bound.
#pragma once

#include "diagnose/overview.hpp"
#include "diagnose/spectrum.hpp"

namespace thresh {

struct RestrictedEigenvalues {
  std::size_t sets = 0;     // number of sets
  std::size_t columns = 0;  // columns of each set
  Eigenvalue least, largest;
  double delta() const;  // (L - l) / (L + l)
};

// Ten sets drawn from all columns, of min(2k, 64) columns each, and one from `support`.
RestrictedEigenvalues restricted_eigenvalues(RowSource& source, const Overview& overview,
                                             const std::vector<std::uint32_t>& support,
                                             std::uint64_t k, const Watch& watch = {});

}  // namespace thresh
