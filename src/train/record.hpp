// Makes the model of a run and the records that describe the run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/feed/labels.hpp"
#include "solvers/budget/sparse_weights.hpp"
#include "solvers/solver.hpp"
#include "thresh/fit.hpp"

namespace thresh {

Model make_model(const Problem& problem, const Options& options, const LabelMap& labels,
                 const Solver& solver, std::uint64_t dimension);

// Weights for values as they are, by index, ascending; and their intercept.
std::vector<std::pair<std::uint64_t, double>> plain_weights(const SparseWeights& model,
                                                            const Problem& problem,
                                                            double& intercept);

// Throws Error unless the model was trained on data that were read and labelled in the same way.
void check_same_data(const Model& model, const Problem& problem, const LabelMap& labels);

Record options_record(const Options& options);
// Excludes times and traced values, so that the same run gives the same model file, to the byte.
Record summary_record(const Status& status, const FitResult& result);

}  // namespace thresh
