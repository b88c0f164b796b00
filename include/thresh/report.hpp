// Shows results as one self-contained HTML page: `thresh report`.
#pragma once

#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// Reads models, traces and JSON printed by thresh, each recognised by its content; "-" is standard
// input. Returns the figures and tables of the page as JSON, described in docs/formats.md. Throws
// Error, naming the file, for any other content. If the title is empty, a default is used.
std::string report_document(const std::vector<std::string>& files, const std::string& title = "");

// Whether a file begins like one of these, and not like data.
bool may_be_result(const std::string& file);

// The report of a model and its results on data: the JSON texts of `eval` and `explain --summary`.
struct ModelResults {
  std::string model_file, data_file;
  const Model& model;
  std::string evaluation, explanation;
};
std::string report_document(const ModelResults& results, const std::string& title = "");

// Whether this build contains the page. Building it requires esbuild and d3-array.
bool has_report_page();

// The HTML page that shows a document. Throws Error unless has_report_page().
std::string report_page(const std::string& document);

}  // namespace thresh
