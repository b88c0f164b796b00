// Models in other programs' formats.
#pragma once

#include <string>

#include "thresh/model.hpp"

namespace thresh {

// LIBLINEAR's text model, for liblinear-predict and everything else that reads it. Throws Error for
// a model that the format cannot hold.
void export_liblinear(const Model& model, const std::string& path);

// One JSON object with everything in the model file.
void export_json(const Model& model, const std::string& path);

// A C99 source that computes margins, labels and probabilities of sparse rows. Its names begin with
// the prefix, which must be a name in C: else UsageError.
void export_c(const Model& model, const std::string& path, const std::string& prefix = "thresh");

}  // namespace thresh
