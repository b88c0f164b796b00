// The largest eigenvalue of X'X, matrix-free, and what follows from it for gradient descent.
//
// Lanczos (Spectra) asks for products with X'X, which are a pass over the rows: margins Xv, and the
// sum of the rows times their margins. XX' has the same eigenvalues but for zeros, so its vectors
// are used where there are fewer rows than columns. That costs a second pass a product, but its
// memory is 10 numbers a row instead of 10 a feature.
#pragma once

#include <optional>

#include "diagnose/products.hpp"

namespace thresh {

// value * 4^exponent: of data such as 1e300 the eigenvalue itself is beyond any double. So is the
// gamma that is made from it.
struct Eigenvalue {
  double value = 0;
  int exponent = 0;
  double plain() const;  // may be infinite, or 0 though the value is not
  double log10() const;
};
double ratio(const Eigenvalue& a, const Eigenvalue& b);

struct GramOptions {
  double largest = 1;      // magnitude of the values, by which they are scaled
  bool intercept = false;  // a column of ones is added
};

// Of X'X over these columns. Throws Error if Lanczos does not converge.
Eigenvalue largest_eigenvalue(RowSource& source, const ColumnSet& columns,
                              const GramOptions& options, const Watch& watch = {});
// Empty if Lanczos does not find it soon; small eigenvalues often lie close together.
std::optional<Eigenvalue> smallest_eigenvalue(RowSource& source, const ColumnSet& columns,
                                              const GramOptions& options, const Watch& watch = {});

// The spectral radius of D_J (I - X'X / gamma), D_J being the projection onto a set J of columns.
//
// AB and BA have the same eigenvalues but for zeros, so with D = DD those of D(DM) are those of
// DMD: a symmetric matrix, I - X_J'X_J / gamma on J and zero elsewhere. Its largest magnitude is at
// one of the two ends, |1 - largest / gamma| or |1 - smallest / gamma|; as no eigenvalue of X_J'X_J
// is negative, the largest alone decides once it reaches 2 gamma.
struct Radius {
  double value = 0;
  bool at_most = false;  // the smallest eigenvalue was not found: a bound
};
Radius iteration_radius(RowSource& source, const ColumnSet& columns, const Eigenvalue& largest,
                        const Eigenvalue& gamma, const GramOptions& options,
                        const Watch& watch = {});

}  // namespace thresh
