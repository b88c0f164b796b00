// Exports models to the formats of other programs.
#pragma once

#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// LIBLINEAR's text model, for liblinear-predict and compatible programs. Throws Error if the format
// cannot represent the model.
void export_liblinear(const Model& model, const std::string& path);

// One JSON object with the full contents of the model file.
void export_json(const Model& model, const std::string& path);

// C99 source that computes margins, labels and probabilities of sparse rows, and the margins of raw
// texts. All its names begin with the prefix. With `header` it includes that file, which declares
// its functions. Throws UsageError if the prefix is not a C identifier.
void export_c(const Model& model, const std::string& path, const std::string& prefix = "thresh",
              const std::string& header = "");

// A SELECT for a table with the columns of the training data; for libsvm and VW data a join with a
// table of the columns row_id, feature and value. Throws Error for texts, dates and hashed names.
void export_sql(const Model& model, const std::string& path, const std::string& table = "data");

// Modules without dependencies that read rows as the data have them, texts too. Throw Error for
// hashed names, stems and names that are not UTF-8.
void export_python(const Model& model, const std::string& path);
void export_javascript(const Model& model, const std::string& path);

// An ONNX graph from the features that the model uses (its metadata names them) to margins, label
// and probabilities. Throws Error if rows are scaled to unit length.
void export_onnx(const Model& model, const std::string& path);

// All formats by name, for programs and bindings: c, javascript, json, liblinear, onnx, python,
// sql.
const std::vector<std::string>& export_formats();
// The export with this name, with default options. Throws UsageError for another one.
void export_model(const Model& model, const std::string& format, const std::string& path);

}  // namespace thresh
