// Results of any kind -> one document of figures and tables -> one page that needs nothing else.
// docs/formats.md describes the document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thresh {

// Reads models, traces and the JSON that thresh prints, each recognised by its content; "-" is
// standard input. Throws Error, naming the file, for anything else. An empty title makes one up.
nlohmann::ordered_json report_document(const std::vector<std::string>& files,
                                       const std::string& title);

// A document as text. Names may be in any encoding; the text is UTF-8.
std::string document_text(const nlohmann::ordered_json& document);

// Whether this build has the page: it takes esbuild and d3-array to make it.
bool has_report_page();

// The page with a document in it. Throws Error if there is no page.
std::string report_page(const nlohmann::ordered_json& document);

}  // namespace thresh
