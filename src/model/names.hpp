// Names of features: a file whose i-th line names the i-th feature.
#pragma once

#include <cstdint>
#include <string>

#include "thresh/model.hpp"

namespace thresh {

// How many names the file has. Throws Error for a name with a tab, which separates columns.
std::uint64_t count_names(const std::string& path);

// Names the model's features. Nothing but the model's own names is kept in memory.
void attach_names(const std::string& path, Model& model);

}  // namespace thresh
