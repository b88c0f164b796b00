// What a program needs to compute a model's predictions, as one JSON object. The exports to Python
// and JavaScript are this object and a page of code.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "thresh/model.hpp"

namespace thresh {

// Throws Error, with the name of the language, for a model that needs libraries: hashed names, or
// stems of words. Also if a name is not UTF-8.
nlohmann::ordered_json scoring_data(const Model& model, const std::string& language);

// Throws Error if features are products of others, which only thresh and the export to JSON know.
void refuse_pairs(const Model& model, const std::string& language);

// `text` with every `what` replaced.
std::string replaced(std::string_view text, std::string_view what, std::string_view by);

// The classes of a model, or the model as a single class.
std::vector<ClassPart> parts_of(const Model& model);

}  // namespace thresh
