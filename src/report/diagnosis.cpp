// The section of a diagnosis: its findings by part, and its histograms as figures.

#include <fmt/format.h>

#include "report/sections.hpp"
#include "thresh/error.hpp"

namespace thresh::report {
namespace {

// `histogram` has pairs of exponent and count, or is an object of counts by exponent.
Json histogram_figure(const std::string& title, const Json& histogram) {
  Json result = figure(title, "exponent", "count");
  result["kind"] = "columns";
  Json series = {{"name", title}, {"x", Json::array()}, {"y", Json::array()}};
  for (const auto& [key, value] : histogram.items()) {
    if (histogram.is_object()) {
      const Json exponent = number_of(key);
      if (exponent.is_null()) throw Error(fmt::format("{}: '{}' is not an exponent", title, key));
      series["x"].push_back(exponent);
      series["y"].push_back(value.get<double>());
    } else {
      series["x"].push_back(value.at(0).get<double>());
      series["y"].push_back(value.at(1).get<double>());
    }
  }
  result["series"].push_back(std::move(series));
  return result;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void add_finding(Json& section, Json& table, const std::string& name, const Json& finding) {
  const Json value = finding.value("value", Json());
  std::string text = finding.value("text", "");
  if (value.is_object() && value.contains("histogram")) {
    text = first_line(text);  // the rest is the same histogram as text
    std::string title = name;
    for (char& c : title) c = c == '_' ? ' ' : c;
    section["figures"].push_back(histogram_figure(title, value["histogram"]));
  }
  table["rows"].push_back(
      {text, finding.value("normal", std::string()), finding.value("advice", std::string())});
}

}  // namespace

// `diagnosis` has parts with findings, by name or as a list with names and titles.
Json diagnosis_section(const std::string& file, const Json& diagnosis) {
  Json result = section("diagnosis", "Diagnosis: " + file);
  const Json& parts =
      diagnosis.is_object() && diagnosis.contains("sections") ? diagnosis["sections"] : diagnosis;
  for (const auto& [key, part] : parts.items()) {
    const bool listed = parts.is_array();
    Json table = Json::object();
    table["title"] = listed ? part.value("title", part.value("name", key)) : key;
    table["columns"] = {"finding", "normal", "advice"};
    table["rows"] = Json::array();
    for (const auto& [name, finding] : (listed ? part.at("findings") : part).items()) {
      add_finding(result, table, listed ? finding.value("name", name) : name, finding);
    }
    result["tables"].push_back(std::move(table));
  }
  return result;
}

}  // namespace thresh::report
