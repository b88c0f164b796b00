// The largest eigenvalue of X'X, matrix-free, and its consequences for gradient descent.
//
// Lanczos (Spectra) needs products with X'X. Each is one pass over the rows: margins Xv, and the
// sum of the rows times their margins. XX' has the same eigenvalues except zeros, so it is used if
// there are fewer rows than columns. Its product takes two passes, but memory is 10 numbers per row
// instead of 10 per feature.
#pragma once

#include <optional>

#include "diagnose/products.hpp"

namespace thresh {

// value * 4^exponent: for data such as 1e300 the eigenvalue, and a gamma derived from it, exceed
// the range of double.
struct Eigenvalue {
  double value = 0;
  int exponent = 0;
  double plain() const;  // may overflow to infinity or underflow to 0
  double log10() const;
};
double ratio(const Eigenvalue& a, const Eigenvalue& b);

struct GramOptions {
  double largest = 1;      // largest magnitude of the values, used to scale them
  bool intercept = false;  // adds a column of ones
};

// The largest eigenvalue of X'X over these columns. Throws Error if Lanczos does not converge.
Eigenvalue largest_eigenvalue(RowSource& source, const ColumnSet& columns,
                              const GramOptions& options, const Watch& watch = {});
// None if Lanczos does not converge soon; small eigenvalues are often close together.
std::optional<Eigenvalue> smallest_eigenvalue(RowSource& source, const ColumnSet& columns,
                                              const GramOptions& options, const Watch& watch = {});

// The spectral radius of D_J (I - X'X / gamma), where D_J projects onto a set J of columns.
//
// AB and BA have the same eigenvalues except zeros, so with D = DD those of D(DM) are those of DMD.
// This matrix is symmetric: I - X_J'X_J / gamma on J and zero elsewhere. Its largest magnitude is
// |1 - largest / gamma| or |1 - smallest / gamma|. No eigenvalue of X_J'X_J is negative, so the
// largest alone decides once it reaches 2 gamma.
struct Radius {
  double value = 0;
  bool at_most = false;  // an upper bound: the smallest eigenvalue was not found
};
Radius iteration_radius(RowSource& source, const ColumnSet& columns, const Eigenvalue& largest,
                        const Eigenvalue& gamma, const GramOptions& options,
                        const Watch& watch = {});

}  // namespace thresh
