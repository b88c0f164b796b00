// What a program needs to compute a model's predictions, as one JSON object. The exports to Python
// and JavaScript are this object and a page of code.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// Throws Error, with the name of the language, for a model that needs libraries: hashed names, or
// stems of words. Also if a name is not UTF-8.
nlohmann::ordered_json scoring_data(const Model& model, const std::string& language);

// `text` with every `what` replaced.
std::string replaced(std::string_view text, std::string_view what, std::string_view by);

// The classes of a model, or the model as a single class; without products of features.
std::vector<ClassPart> parts_of(const Model& model);

// A product of two features with its weight in a class.
struct Product {
  std::size_t part;  // of parts_of()
  const FeaturePair* pair;
  double weight;
};
// Those of all classes in sequence; of each in the order in which Predictor adds them up.
std::vector<Product> products_of(const Model& model);

// The features of the data that weights or products need, by ascending index, and their names.
std::map<std::uint64_t, std::string> features_of(const Model& model);

}  // namespace thresh
