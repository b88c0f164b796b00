// A single row on its way to a prediction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// Throws UsageError unless these are a row as the model's data number features.
void check_row(const Model& model, std::span<const std::uint64_t> indices,
               std::span<const double> values);

// The values as the model's weights are for them.
std::vector<double> scaled_values(const Model& model, std::span<const double> values);

// What margins mean: one, or one for each of several classes.
Prediction prediction_of(const Model& model, double margin);
Prediction prediction_of(const Model& model, std::vector<double> margins);

}  // namespace thresh
