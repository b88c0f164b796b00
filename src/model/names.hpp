// What training does with names once it has a model; thresh/names.hpp has the rest.
#pragma once

#include <span>

#include "thresh/model.hpp"

namespace thresh {

// Names the features of models from the words in the data they were learned from.
void name_features(const Vocabulary& vocabulary, std::span<Model* const> models);

// Leaves a model of texts only the terms without which it would predict something else.
void drop_unneeded_terms(Model& model);

}  // namespace thresh
