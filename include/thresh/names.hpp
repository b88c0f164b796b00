// Names of features, in files of names and in models; words and numbers as people write them.
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

// A file of names has that of the i-th feature in its i-th line. How many there are; throws Error
// for a name with a tab, which separates columns.
std::uint64_t count_names(const std::string& path);
// Names the model's features. Nothing but the model's own names is kept in memory.
void attach_names(const std::string& path, Model& model);
// The numbers, counted from 0, of the features with these names; none for a name that the file does
// not have.
std::vector<std::optional<std::uint64_t>> find_names(const std::string& path,
                                                     const std::vector<std::string>& names);

// What a model knows of words, its features' names and its labels: for ReadOptions::vocabulary when
// training goes on from the model and new names may come.
std::shared_ptr<Vocabulary> vocabulary_of(const Model& model);

// A name with what would break a line or a column written as \\, \n, \r, \t.
std::string escaped(std::string_view name);

// The finite number that the whole text is, if it is one.
std::optional<double> parse_finite(std::string_view text);

// The candidate that looks most like `word`, or "" if none does.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace thresh
