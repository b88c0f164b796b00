// How differently features occur in two classes.
#pragma once

#include <span>
#include <vector>

#include "polish/support_matrix.hpp"

namespace thresh {

// By column, |log (p / q)|: p and q are the shares that the feature has in the values of the rows
// with target 1 and of the others. `ratio` is that of all values in these rows, of all features. A
// value counts as |value| / mean |value| of its feature; half an occurrence is added on both sides,
// so that rare features have moderate contrasts. None is below a small number.
//
// A ridge divided by these numbers is the prior of naive Bayes: weights of features that tell the
// classes apart may be large. (Wang and Manning, Baselines and bigrams, 2012, multiply values by
// log (p / q) instead, which divides the ridge by its square.)
std::vector<double> contrasts(const SupportMatrix& rows, std::span<const double> targets,
                              double ratio);

// Contrasts times the root mean square of the columns, in units of a typical one. Columns are
// balanced, so this takes back half of the balance: the contrasts of rare features are uncertain.
std::vector<double> contrast_shares(const SupportMatrix& rows, std::span<const double> targets,
                                    double ratio);

}  // namespace thresh
