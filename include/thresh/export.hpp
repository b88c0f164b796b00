// Exports models to the formats of other programs.
#pragma once

#include <string>

#include "thresh/model.hpp"

namespace thresh {

// LIBLINEAR's text model, for liblinear-predict and compatible programs. Throws Error if the format
// cannot represent the model.
void export_liblinear(const Model& model, const std::string& path);

// One JSON object with the full contents of the model file.
void export_json(const Model& model, const std::string& path);

// C99 source that computes margins, labels and probabilities of sparse rows. All its names begin
// with the prefix. Throws UsageError if the prefix is not a C identifier.
void export_c(const Model& model, const std::string& path, const std::string& prefix = "thresh");

}  // namespace thresh
