// Names of features: from a file whose i-th line names the i-th feature, or from the data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// How many names the file has. Throws Error for a name with a tab, which separates columns.
std::uint64_t count_names(const std::string& path);

// Names the model's features. Nothing but the model's own names is kept in memory.
void attach_names(const std::string& path, Model& model);

// Names the features of models from the words in the data they were learned from.
void name_features(const Vocabulary& vocabulary, std::span<Model* const> models);

// Leaves a model of texts only the terms without which it would predict something else.
void drop_unneeded_terms(Model& model);

// What a model knows of words: its features' names and its labels.
std::shared_ptr<Vocabulary> vocabulary_of(const Model& model);

// The numbers, counted from 0, of the features with these names; none for a name that the file does
// not have.
std::vector<std::optional<std::uint64_t>> find_names(const std::string& path,
                                                     const std::vector<std::string>& names);

}  // namespace thresh
