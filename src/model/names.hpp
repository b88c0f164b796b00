// Names of features: a file whose i-th line names the i-th feature.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// How many names the file has. Throws Error for a name with a tab, which separates columns.
std::uint64_t count_names(const std::string& path);

// Names the model's features. Nothing but the model's own names is kept in memory.
void attach_names(const std::string& path, Model& model);

// The numbers, counted from 0, of the features with these names. Throws Error for a name that the
// file does not have.
std::vector<std::uint64_t> find_names(const std::string& path,
                                      const std::vector<std::string>& names);

}  // namespace thresh
