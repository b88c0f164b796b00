// Sections of a search: tune, its trials, and cross-validation.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/sections.hpp"

namespace thresh::report {
namespace {

// A candidate's values in one flat object, for tables and figures.
Json flat(const Json& candidate) {
  Json row = Json::object();
  const Json chosen = candidate.value("chosen", Json(false));
  row["chosen"] = chosen == true ? chosen : Json();
  const Json settings = candidate.value("settings", Json::object());
  row["settings"] = settings;
  for (const auto& [name, value] : settings.items()) {
    const Json number = number_of(value);
    row["setting " + name] = number.is_null() ? value : number;
  }
  for (const char* field : {"rung", "fold", "failure", "error_se"}) {
    row[field] = candidate.value(field, Json());
  }
  for (const std::string field : {"error", "loss", "nonzeros"}) {
    const Json value = candidate.value(field, Json());
    row[field] = value.is_object() ? value.at("mean") : value;
    if (value.is_object()) row[field + "_se"] = value.at("se");
  }
  return row;
}

// All settings except one, as the name of a line.
std::string others_of(const Json& row, const std::string& name) {
  std::string others;
  const auto add = [&](const std::string& other, const Json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", other, text);
  };
  for (const auto& [other, value] : row["settings"].items()) {
    if (other != name) add(other, value);
  }
  if (!row["fold"].is_null()) add("fold", row["fold"]);
  return others.empty() ? "error" : others;
}

Json series_of(const std::string& name, const Json& rows, const std::string& x) {
  Json series = Json::object();
  series["name"] = name;
  series["x"] = column(rows, x);
  series["y"] = column(rows, "error");
  series["se"] = column(rows, "error_se");
  return series;
}

// One line per combination of all other settings. Candidates are sorted from best to worst; the
// points of a line from left to right.
Json error_by_setting(const Json& rows, const std::string& name) {
  const std::string key = "setting " + name;
  Json sorted = rows;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Json& a, const Json& b) { return a[key] < b[key]; });
  Json lines = Json::object();
  for (const Json& row : sorted) lines[others_of(row, name)].push_back(row);
  Json result = figure("Error against " + name, name, "error");
  for (const auto& [others, points] : lines.items()) {
    result["series"].push_back(series_of(others, points, key));
  }
  choose_log_x(result);
  return result;
}

Json error_by_size(const Json& rows) {
  Json result = figure(fmt::format("Error against {}", kUsed), kUsed, "error");
  result["kind"] = "points";
  for (const bool chosen : {false, true}) {
    Json some = Json::array();
    for (const Json& row : rows) {
      if (row["chosen"].is_null() != chosen) some.push_back(row);
    }
    if (some.empty()) continue;
    result["series"].push_back(series_of(chosen ? "chosen" : "candidates", some, "nonzeros"));
  }
  choose_log_x(result);
  return result;
}

// Whether a setting can be an axis.
bool has_numbers(const Json& rows, const std::string& key) {
  std::set<Json> different;
  for (const Json& row : rows) {
    if (!row.contains(key) || !row[key].is_number()) return false;
    different.insert(row[key]);
  }
  return different.size() > 1;
}

void add_candidates(Json& section, const Json& candidates, const std::string& title) {
  Json rows = Json::array();
  Json names = Json::object();  // in order of appearance
  for (const Json& candidate : candidates) {
    rows.push_back(flat(candidate));
    for (const auto& item : rows.back()["settings"].items()) names[item.key()] = true;
  }
  std::vector<Field> fields = {"chosen"};
  for (const auto& item : names.items()) {
    const std::string key = "setting " + item.key();
    fields.push_back({key, item.key()});
    if (has_numbers(rows, key)) section["figures"].push_back(error_by_setting(rows, item.key()));
  }
  const std::vector<Field> numbers = {"rung", "fold",     "error",  "error_se",
                                      "loss", "nonzeros", "failure"};
  fields.insert(fields.end(), numbers.begin(), numbers.end());
  section["figures"].push_back(error_by_size(rows));
  section["tables"].push_back(table(title, rows, fields));
}

}  // namespace

Json tune_section(const std::string& file, const Json& tuned) {
  Json result = section("tune", "Tuning: " + file);
  add_facts(result, tuned);
  add_candidates(result, tuned.at("candidates"), "Candidates");
  return result;
}

Json trials_section(const std::string& file, const Json& lines) {
  Json result = section("trials", "Trials: " + file);
  add_facts(result, lines.at(0));
  if (lines.size() == 1) {
    result["notes"].push_back("No trial has ended yet.");
    return result;
  }
  add_candidates(result, Json(lines.begin() + 1, lines.end()), "Trials");
  return result;
}

Json cv_section(const std::string& file, const Json& judged) {
  Json result = section("cv", "Cross-validation: " + file);
  add_facts(result, judged);
  Json folds = judged.at("folds");
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i]["fold"] = i + 1;
  result["tables"].push_back(
      table("Folds", folds, {"fold", "rows", "error", "error_se", "loss", "nonzeros", "failure"}));
  return result;
}

}  // namespace thresh::report
