// Functions on names of a trained model; see also thresh/names.hpp.
#pragma once

#include <span>

#include "thresh/model.hpp"

namespace thresh {

// Names the features of models from the words in the data they were learned from.
void name_features(const Vocabulary& vocabulary, std::span<Model* const> models);

// Drops the terms of a text model that do not affect its predictions.
void drop_unneeded_terms(Model& model);

}  // namespace thresh
