// Honest probabilities for a model that held-out rows have chosen. Fits to selected features are
// overconfident: the rows that selected them also gave them their weights.
#pragma once

#include "thresh/fit.hpp"

namespace thresh {

// The factor for all margins, from 0.05 to 1, that gives held-out rows of two classes the lowest
// logistic loss. Decisions stay the same. It never makes a model surer of itself: the same rows
// have chosen its settings, and the last run learns from more rows.
//
// The losses of the rows must be logistic ones. The margins follow from them.
double calibrating_factor(const RowScores& held_out);

}  // namespace thresh
