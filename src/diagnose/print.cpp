#include <fmt/format.h>

#include "diagnose/findings.hpp"

namespace thresh {
namespace {

// Indents all lines of a text like the first.
std::string set_in(const std::string& text, const std::string& margin) {
  std::string lines = margin;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += margin;
  }
  return lines + "\n";
}

}  // namespace

std::string to_text(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    text += (text.empty() ? "" : "\n") + section.title + "\n";
    for (const DiagnosisLine& f : section.findings) {
      text += set_in(f.text, "  ");
      if (!f.normal.empty()) text += fmt::format("      normal: {}\n", f.normal);
      if (!f.advice.empty()) text += fmt::format("      advice: {}\n", f.advice);
    }
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<Section>& sections) {
  nlohmann::ordered_json json;
  for (const Section& section : sections) {
    nlohmann::ordered_json& part = json[section.name] = nlohmann::ordered_json::object();
    for (const DiagnosisLine& f : section.findings) {
      part[f.name] = {{"value", f.value}, {"text", f.text}, {"normal", f.normal}};
      part[f.name]["advice"] = f.advice;
    }
  }
  return json;
}

}  // namespace thresh
