// A run that continues from a model instead of beginning with zeros.
#pragma once

#include "train/context.hpp"

namespace thresh {

// Gives a solver that has not begun the weights of a model. Throws Error if the model is of other
// data, or over the budget.
void start_from(const Model& model, RunContext& run, Solver& solver);

// Features that had a name in the old model have it in the new one.
void keep_names(const Model& old, Model& now);

}  // namespace thresh
