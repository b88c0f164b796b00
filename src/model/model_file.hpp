// The model file as text, apart from where it lies.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "thresh/model.hpp"

namespace thresh {

// Reads the text of a model file. Throws Error with the reason, but no file name, unless every byte
// of it is as it was written.
Model parse_model(std::string_view text);

// The header: one line of JSON, everything but the weights. Throws Error for what load() would
// refuse.
std::string model_header(const Model& model);

// Writes the text of a model file piece by piece. Throws Error before the first piece if the model
// is one that parse_model would refuse.
void write_model(const Model& model, const std::function<void(std::string_view)>& write);

}  // namespace thresh
