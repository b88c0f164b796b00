// Builds one document of figures and tables from results of any kind, and a self-contained page
// from the document. docs/formats.md describes the document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thresh {

// Reads models, traces and the JSON output of thresh, recognised by content; "-" is standard input.
// Throws Error with the file's name for anything else. Generates a title if it is empty.
nlohmann::ordered_json report_document(const std::vector<std::string>& files,
                                       const std::string& title);

// A document as UTF-8 text. Names may have any encoding.
std::string document_text(const nlohmann::ordered_json& document);

// Whether this build includes the page, which needs esbuild and d3-array.
bool has_report_page();

// The page with a document in it. Throws Error if the build has no page.
std::string report_page(const nlohmann::ordered_json& document);

}  // namespace thresh
