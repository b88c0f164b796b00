// The page: its template is built from report/ and compiled in as a string literal.

#include <string>
#include <string_view>

#include "thresh/error.hpp"
#include "thresh/report.hpp"

namespace thresh {
namespace {

constexpr char kText[] =
#ifdef THRESH_REPORT_PAGE
#include THRESH_REPORT_PAGE
#endif
    "";
constexpr std::string_view kPage(kText, sizeof kText - 1);

constexpr std::string_view kPlace = "{{data}}";

// With these characters escaped, JSON cannot end its HTML element or begin another. They occur only
// inside strings, where the escapes mean the same.
std::string safe_in_html(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i, 3);
    if (rest[0] == '<') {
      safe += "\\u003c";
    } else if (rest[0] == '>') {
      safe += "\\u003e";
    } else if (rest[0] == '&') {
      safe += "\\u0026";
    } else if (rest == "\u2028" || rest == "\u2029") {
      safe += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += rest[0];
    }
  }
  return safe;
}

}  // namespace

bool has_report_page() {
  return kPage.find(kPlace) != std::string_view::npos;
}

std::string report_page(const std::string& document) {
  if (!has_report_page()) throw Error("thresh was built without its page");
  const std::size_t place = kPage.find(kPlace);
  std::string page(kPage.substr(0, place));
  page += safe_in_html(document);
  page += kPage.substr(place + kPlace.size());
  return page;
}

}  // namespace thresh
