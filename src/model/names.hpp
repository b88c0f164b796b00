// Feature names, from a file (line i names feature i) or from the data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// The number of names in the file. Throws Error for a name with a tab, the column separator.
std::uint64_t count_names(const std::string& path);

// Names the model's features. Holds only the model's own names in memory.
void attach_names(const std::string& path, Model& model);

// Names the features of models by the words of their training data.
void name_features(const Vocabulary& vocabulary, std::span<Model* const> models);

// Drops the terms of a text model that do not affect its predictions.
void drop_unneeded_terms(Model& model);

// The names of the model's features and labels.
std::shared_ptr<Vocabulary> vocabulary_of(const Model& model);

// The numbers, from 0, of the features with these names; none if the file does not have a name.
std::vector<std::optional<std::uint64_t>> find_names(const std::string& path,
                                                     const std::vector<std::string>& names);

}  // namespace thresh
