// Sections of many runs: the frontier of sizes, tune, cross-validation and path.

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "data/number.hpp"
#include "report/sections.hpp"

namespace thresh::report {
namespace {

constexpr const char* kBudget = "budget";
constexpr const char* kUsed = "features used";

// A setting's value as a number, null if it is none.
Json number_of(const Json& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) return nullptr;
  const std::string& text = value.get_ref<const std::string&>();
  const char* p = text.c_str();
  double number = 0;
  if (!parse_number(p, text.c_str() + text.size(), number)) return nullptr;
  if (*p == '%') return p[1] == '\0' ? Json(number / 100) : Json();
  return *p == '\0' ? Json(number) : Json();
}

void add_sizes(Json& figure, const Points& curve, const std::string& error) {
  Json series;
  series["name"] = curve.name;
  series["x"][kBudget] = column(curve.points, "features");
  series["x"][kUsed] = column(curve.points, "nonzeros");
  series["y"] = column(curve.points, error);
  if (!any_number(series["y"])) return;
  if (error != "valid_loss") series["se"] = column(curve.points, error + "_se");
  figure["log_x"] = figure["log_x"].get<bool>() || far_apart(series["x"][kBudget]);
  figure["series"].push_back(std::move(series));
}

// The points of each solver: of frontier --json, of its trace, or of train without a budget.
std::vector<Points> curves_of(const Json& frontier) {
  std::vector<Points> curves;
  if (frontier.is_object() && frontier.contains("frontier")) {
    curves.push_back({"", frontier["frontier"]});
  } else if (frontier.is_object()) {
    for (const Json& solver : frontier.at("solvers")) {
      curves.push_back({solver.at("solver"), solver.at("points")});
    }
  } else {
    for (const Json& point : frontier) {
      const std::string solver = point.at("solver");
      if (curves.empty() || curves.back().name != solver) curves.push_back({solver, Json::array()});
      curves.back().points.push_back(point);
    }
  }
  return curves;
}

// A candidate's values side by side, for tables and figures.
Json flat(const Json& candidate) {
  Json row;
  row["chosen"] = candidate.value("chosen", Json());
  if (row["chosen"].is_boolean() && !row["chosen"].get<bool>()) row["chosen"] = nullptr;
  const Json settings = candidate.value("settings", Json::object());
  for (const auto& [name, value] : settings.items()) {
    const Json number = number_of(value);
    row["setting " + name] = number.is_null() ? value : number;
  }
  for (const char* field : {"rung", "fold", "failure"}) {
    row[field] = candidate.value(field, Json());
  }
  for (const char* field : {"error", "loss", "nonzeros"}) {
    const Json value = candidate.value(field, Json());
    row[field] = value.is_object() ? value.at("mean") : value;
    if (value.is_object()) row[std::string(field) + "_se"] = value.at("se");
  }
  if (candidate.contains("error_se")) row["error_se"] = candidate["error_se"];
  return row;
}

// One figure for each setting with numbers: a line for each combination of all other settings.
Json error_by_setting(const Json& rows, const std::string& name, const std::set<std::string>& all) {
  Json result = figure("Error against " + name, name, "error");
  std::map<std::string, Json> lines;
  for (const Json& row : rows) {
    std::string others;
    for (const std::string& other : all) {
      if (other == name) continue;
      const Json value = row.value("setting " + other, Json());
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", other,
                            value.is_string() ? value.get<std::string>() : value.dump());
    }
    if (!row["fold"].is_null()) others += fmt::format(" fold {}", row["fold"].dump());
    lines.emplace(others, Json::array()).first->second.push_back(row);
  }
  for (auto& [others, points] : lines) {
    Json series;
    series["name"] = others.empty() ? "error" : others;
    series["x"] = column(points, "setting " + name);
    series["y"] = column(points, "error");
    series["se"] = column(points, "error_se");
    result["log_x"] = result["log_x"].get<bool>() || far_apart(series["x"]);
    result["series"].push_back(std::move(series));
  }
  return result;
}

Json sizes_and_errors(const Json& rows) {
  Json result = figure("Error against features used", kUsed, "error");
  result["kind"] = "points";
  result["log_x"] = far_apart(column(rows, "nonzeros"));
  for (const bool chosen : {false, true}) {
    Json some = Json::array();
    for (const Json& row : rows) {
      if (row["chosen"].is_null() != chosen) some.push_back(row);
    }
    if (some.empty()) continue;
    result["series"].push_back({{"name", chosen ? "chosen" : "candidates"},
                                {"x", column(some, "nonzeros")},
                                {"y", column(some, "error")},
                                {"se", column(some, "error_se")}});
  }
  return result;
}

void add_candidates(Json& section, const Json& candidates, const std::string& title) {
  Json rows = Json::array();
  std::set<std::string> names;
  for (const Json& candidate : candidates) {
    rows.push_back(flat(candidate));
    const Json settings = candidate.value("settings", Json::object());
    for (const auto& item : settings.items()) names.insert(item.key());
  }
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back("setting " + name);
  std::vector<Field> fields = {{"chosen", "chosen"}};
  for (const std::string& key : keys) fields.push_back({key.c_str(), key.c_str() + 8});
  for (const Field& field : {Field{"rung", "rung"}, {"fold", "fold"}, {"error", "error"},
                             {"error_se", "standard error"}, {"loss", "loss"},
                             {"nonzeros", "features used"}, {"failure", "failure"}}) {
    fields.push_back(field);
  }
  for (const std::string& name : names) {
    bool numbers = true;
    std::set<Json> different;
    for (const Json& row : rows) {
      const Json value = row.value("setting " + name, Json());
      numbers &= value.is_number();
      different.insert(value);
    }
    if (numbers && different.size() > 1) {
      section["figures"].push_back(error_by_setting(rows, name, names));
    }
  }
  section["figures"].push_back(sizes_and_errors(rows));
  section["tables"].push_back(table(title, rows, fields));
}

}  // namespace

Json frontier_section(const std::string& file, const Json& frontier) {
  Json result = section("frontier", "Models of all sizes: " + file);
  if (frontier.is_object()) add_facts(result, frontier);
  const std::vector<Points> curves = curves_of(frontier);
  for (const auto& [field, name] : {std::pair{"valid_error", "Validation error"},
                                    {"test_error", "Test error"},
                                    {"valid_loss", "Validation loss"}}) {
    Json errors = figure(fmt::format("{} against the number of features", name), {kBudget, kUsed},
                         fmt::format("{}", field == std::string("valid_loss") ? "loss" : "error"));
    for (Points curve : curves) {
      if (curve.name.empty()) curve.name = name;
      add_sizes(errors, curve, field);
    }
    if (!errors["series"].empty()) result["figures"].push_back(std::move(errors));
  }
  Json all = Json::array();
  for (const Points& curve : curves) {
    for (Json point : curve.points) {
      if (!curve.name.empty()) point["solver"] = curve.name;
      all.push_back(std::move(point));
    }
  }
  result["tables"].push_back(table("Models", all,
                                   {{"solver", "solver"},
                                    {"features", kBudget},
                                    {"nonzeros", kUsed},
                                    {"valid_error", "validation error"},
                                    {"valid_error_se", "standard error"},
                                    {"valid_loss", "validation loss"},
                                    {"test_error", "test error"},
                                    {"test_error_se", "standard error of it"}}));
  return result;
}

Json tune_section(const std::string& file, const Json& tuned) {
  Json result = section("tune", "Tuning: " + file);
  add_facts(result, tuned);
  add_candidates(result, tuned.at("candidates"), "Candidates");
  return result;
}

Json trials_section(const std::string& file, const Json& lines) {
  Json result = section("trials", "Trials: " + file);
  add_facts(result, lines.at(0));
  add_candidates(result, Json(lines.begin() + 1, lines.end()), "Trials");
  return result;
}

Json cv_section(const std::string& file, const Json& judged) {
  Json result = section("cv", "Cross-validation: " + file);
  add_facts(result, judged);
  Json folds = judged.at("folds");
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i]["fold"] = i + 1;
  result["tables"].push_back(table("Folds", folds,
                                   {{"fold", "fold"},
                                    {"rows", "rows"},
                                    {"error", "error"},
                                    {"error_se", "standard error"},
                                    {"loss", "loss"},
                                    {"nonzeros", kUsed},
                                    {"failure", "failure"}}));
  return result;
}

Json path_section(const std::string& file, const Json& path) {
  const std::string over = path.at("over");
  Json result = section("path", "Path: " + file);
  add_facts(result, path);
  Json points = path.at("models");
  for (Json& point : points) {
    const Json number = number_of(point.at("value"));
    if (!number.is_null()) point["value"] = number;
  }
  Json errors = figure("Error against " + over, {over, kUsed}, "error");
  Json sizes = figure("Features used against " + over, over, kUsed);
  bool numbers = true;
  for (const Json& point : points) numbers &= point["value"].is_number();
  if (numbers) {
    const Json x = column(points, "value");
    errors["log_x"] = sizes["log_x"] = far_apart(x);
    for (const auto& [field, name] : {std::pair{"train_error", "training error"},
                                      {"valid_error", "validation error"}}) {
      const Json y = column(points, field);
      if (!any_number(y)) continue;
      errors["series"].push_back(
          {{"name", name}, {"x", {{over, x}, {kUsed, column(points, "nonzeros")}}}, {"y", y}});
    }
    sizes["series"].push_back({{"name", kUsed}, {"x", x}, {"y", column(points, "nonzeros")}});
    result["figures"] = {errors, sizes};
  }
  result["tables"].push_back(table("Models", points,
                                   {{"value", over.c_str()},
                                    {"status", "status"},
                                    {"nonzeros", kUsed},
                                    {"density", "density"},
                                    {"objective", "objective"},
                                    {"train_error", "training error"},
                                    {"valid_error", "validation error"},
                                    {"valid_loss", "validation loss"},
                                    {"model", "model"},
                                    {"reason", "reason"}}));
  return result;
}

Json eval_section(const std::string& file, const Json& metrics) {
  Json result = section("eval", "Evaluation: " + file);
  add_facts(result, metrics);
  return result;
}

}  // namespace thresh::report
