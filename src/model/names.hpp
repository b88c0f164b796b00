// Functions on names of a trained model; see also thresh/names.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// Names the features of models from the words in the data they were learned from.
void name_features(const Vocabulary& vocabulary, std::span<Model* const> models);

// Names the features that are products: a*b, by the names or else the indices of the two.
void name_pairs(Model& model);

// The columns of a table that the model's features come from.
std::vector<std::string> columns_of(const Model& model);

// Drops the terms of a text model that do not affect its predictions.
void drop_unneeded_terms(Model& model);

}  // namespace thresh
