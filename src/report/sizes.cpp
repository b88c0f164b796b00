// Sections on models of many sizes: the frontier, and a path over an option.

#include <fmt/format.h>

#include <utility>

#include "report/sections.hpp"

namespace thresh::report {
namespace {

constexpr const char* kBudget = "budget";

void add_sizes(Json& figure, const Points& curve, const std::string& error) {
  Json series = Json::object();
  series["name"] = curve.name;
  series["x"][kBudget] = column(curve.points, "features");
  series["x"][kUsed] = column(curve.points, "nonzeros");
  series["y"] = column(curve.points, error);
  if (!any_number(series["y"])) return;
  if (error != "valid_loss") series["se"] = column(curve.points, error + "_se");
  figure["series"].push_back(std::move(series));
}

// The points of each solver, from frontier --json, its trace, or train without a budget.
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

// The size that train chose, as a series of one point.
void mark_chosen(Json& figure, const Json& frontier) {
  if (!frontier.is_object() || !frontier.contains("chosen") || figure["series"].empty()) return;
  const Json& chosen = frontier["chosen"];
  const Json& size = chosen.is_object() ? chosen.value("features", Json()) : chosen;
  const Json& curve = figure["series"][0];
  for (std::size_t i = 0; i < curve["y"].size(); ++i) {
    if (curve["x"][kBudget][i] != size || curve["y"][i].is_null()) continue;
    figure["series"].push_back({{"name", "chosen"},
                                {"x", {{kBudget, {size}}, {kUsed, {curve["x"][kUsed][i]}}}},
                                {"y", {curve["y"][i]}}});
    return;
  }
}

// The training objective of each size, and what is proved of all other models of that size.
void add_bounds(Json& section, const std::vector<Points>& curves) {
  for (const Points& curve : curves) {
    const Json bounds = column(curve.points, "bound");
    if (!any_number(bounds)) continue;
    Json objectives = figure("Training objective against the number of features",
                             Json::array({kBudget}), "objective");
    const Json sizes = {{kBudget, column(curve.points, "features")}};
    objectives["series"].push_back(
        {{"name", "objective"}, {"x", sizes}, {"y", column(curve.points, "objective")}});
    objectives["series"].push_back(
        {{"name", "no choice of features is below"}, {"x", sizes}, {"y", bounds}});
    choose_log_x(objectives);
    section["figures"].push_back(std::move(objectives));
  }
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
                         field == std::string("valid_loss") ? "loss" : "error");
    for (Points curve : curves) {
      if (curve.name.empty()) curve.name = name;
      add_sizes(errors, curve, field);
    }
    mark_chosen(errors, frontier);
    choose_log_x(errors);
    if (!errors["series"].empty()) result["figures"].push_back(std::move(errors));
  }
  add_bounds(result, curves);
  Json all = Json::array();
  for (const Points& curve : curves) {
    for (Json point : curve.points) {
      if (!curve.name.empty()) point["solver"] = curve.name;
      all.push_back(std::move(point));
    }
  }
  result["tables"].push_back(table("Models", all,
                                   {"solver",
                                    {"features", kBudget},
                                    "nonzeros",
                                    "valid_error",
                                    "valid_error_se",
                                    "valid_loss",
                                    "test_error",
                                    {"test_error_se", "standard error of it"},
                                    "objective",
                                    {"bound", "proved lower bound"}}));
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
    for (const auto& [field, name] :
         {std::pair{"train_error", "training error"}, {"valid_error", "validation error"}}) {
      const Json y = column(points, field);
      if (!any_number(y)) continue;
      errors["series"].push_back(
          {{"name", name}, {"x", {{over, x}, {kUsed, column(points, "nonzeros")}}}, {"y", y}});
    }
    sizes["series"].push_back({{"name", kUsed}, {"x", x}, {"y", column(points, "nonzeros")}});
    choose_log_x(errors);
    choose_log_x(sizes);
    result["figures"] = {errors, sizes};
  }
  result["tables"].push_back(table("Models", points,
                                   {{"value", over},
                                    "status",
                                    "nonzeros",
                                    "density",
                                    "objective",
                                    "train_error",
                                    "valid_error",
                                    "valid_loss",
                                    "model",
                                    "reason"}));
  return result;
}

}  // namespace thresh::report
