// Weights of classes that the user gives: "spam=5,ham=1".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/feed/labels.hpp"

namespace thresh {

using ClassWeights = std::vector<std::pair<std::string, double>>;  // label as in the data, weight

// Throws UsageError for anything but LABEL=WEIGHT,... with finite weights above 0 and no label
// twice.
ClassWeights parse_class_weights(const std::string& text);
std::string class_weights_text(const ClassWeights& weights);

// By class as RowView counts them; a class that is not named has weight 1. They are divided by
// their mean over the rows, as weights of rows are. Throws Error for a label that the data lack.
std::vector<double> weights_by_class(const ClassWeights& weights, const LabelMap& labels,
                                     const Survey& survey);

}  // namespace thresh
