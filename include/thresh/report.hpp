// Results of any kind as one page that needs nothing else: `thresh report`.
#pragma once

#include <string>
#include <vector>

namespace thresh {

// Reads models, traces and the JSON that thresh prints, each recognised by its content; "-" is
// standard input. Gives the figures and tables that a page shows, as JSON; docs/formats.md
// describes it. Throws Error, naming the file, for anything else. An empty title makes one up.
std::string report_document(const std::vector<std::string>& files, const std::string& title = "");

// Whether this build has the page: it takes esbuild and d3-array to make it.
bool has_report_page();

// The page with a document in it. Throws Error if there is no page.
std::string report_page(const std::string& document);

}  // namespace thresh
