// What a run leaves behind: the model and the records that say how it came about.
#pragma once

#include <string>

#include "data/feed/labels.hpp"
#include "solvers/solver.hpp"
#include "thresh/fit.hpp"

namespace thresh {

Model make_model(const Problem& problem, const Options& options, const LabelMap& labels,
                 const Solver& solver, std::uint64_t dimension);

// Throws Error unless a model was trained on data read and labelled like this.
void check_same_data(const Model& model, const Problem& problem, const LabelMap& labels);

Record options_record(const Options& options);
// Without times and traced values: the same run gives the same model file, to the byte.
Record summary_record(const Status& status, const FitResult& result);

}  // namespace thresh
