#pragma once

#include <string>

#include "thresh/model.hpp"

namespace thresh {

// C of the function @_text_margins() for a model of texts, over @_margins(). @ stands for the
// prefix. Throws Error for hashed names and stems.
std::string c_of_text(const Model& model);

}  // namespace thresh
