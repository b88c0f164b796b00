// Shows results as one self-contained HTML page: `thresh report`.
#pragma once

#include <string>
#include <vector>

namespace thresh {

// Reads models, traces and JSON printed by thresh, each recognised by its content; "-" is standard
// input. Returns the figures and tables of the page as JSON, described in docs/formats.md. Throws
// Error, naming the file, for any other content. If the title is empty, a default is used.
std::string report_document(const std::vector<std::string>& files, const std::string& title = "");

// Whether this build contains the page. Building it requires esbuild and d3-array.
bool has_report_page();

// The HTML page that shows a document. Throws Error unless has_report_page().
std::string report_page(const std::string& document);

}  // namespace thresh
