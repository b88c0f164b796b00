// Names of features in files and models, and helpers for words and numbers typed by users.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

struct Model;
class Vocabulary;

// Line i of a file of names is the name of the i-th feature. Counts the names. Throws Error for a
// name that contains a tab, which separates columns.
std::uint64_t count_names(const std::string& path);
// Sets the names of the model's features. Only these names are held in memory.
void attach_names(const std::string& path, Model& model);
// The 0-based numbers of the features with these names; none for a name that is not in the file.
std::vector<std::optional<std::uint64_t>> find_names(const std::string& path,
                                                     const std::vector<std::string>& names);

// The names of a model's features and labels, for ReadOptions::vocabulary when training continues
// from the model. Training may add new names.
std::shared_ptr<Vocabulary> vocabulary_of(const Model& model);

// An empty vocabulary for the training rows of a table model, to read them again with the same
// columns. Features are numbered anew.
std::shared_ptr<Vocabulary> training_vocabulary(const Model& model);

// The name with backslash, line feed, carriage return and tab escaped as \\, \n, \r, \t.
std::string escaped(std::string_view name);

// Parses the whole text as a finite number; none if it is not one.
std::optional<double> parse_finite(std::string_view text);

// The candidate most similar to `word`, or "" if none is similar.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace thresh
