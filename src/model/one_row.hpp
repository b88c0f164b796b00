// Predicts a single row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// Throws UsageError unless the arguments are a valid row in the numbering of the model's data.
void check_row(const Model& model, std::span<const std::uint64_t> indices,
               std::span<const double> values);

// The values, scaled as for the training of the model.
std::vector<double> scaled_values(const Model& model, std::span<const double> values);

// The prediction for one margin, or for the margins of several classes.
Prediction prediction_of(const Model& model, double margin);
Prediction prediction_of(const Model& model, std::vector<double> margins);

}  // namespace thresh
