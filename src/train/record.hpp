// Makes the model of a run and the records that describe the run.
#pragma once

#include <string>

#include "data/feed/labels.hpp"
#include "solvers/solver.hpp"
#include "thresh/fit.hpp"

namespace thresh {

Model make_model(const Problem& problem, const Options& options, const LabelMap& labels,
                 const Solver& solver, std::uint64_t dimension);

// Throws Error unless the model was trained on data that were read and labelled in the same way.
void check_same_data(const Model& model, const Problem& problem, const LabelMap& labels);

Record options_record(const Options& options);
// Excludes times and traced values, so that the same run gives the same model file, to the byte.
Record summary_record(const Status& status, const FitResult& result);

}  // namespace thresh
