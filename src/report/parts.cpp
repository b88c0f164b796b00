// Building blocks of sections.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/sections.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"
#include "thresh/options.hpp"

namespace thresh::report {

std::string heading_of(std::string field) {
  for (const auto& [name, heading] : {std::pair{"nonzeros", kUsed},
                                      {"train_error", "training error"},
                                      {"valid_error", "validation error"},
                                      {"valid_loss", "validation loss"},
                                      {"auc", "AUC"},
                                      {"f1", "F1"},
                                      {"log_loss", "log-loss"},
                                      {"rmse", "RMSE"},
                                      {"mae", "MAE"},
                                      {"r2", "R2"},
                                      {"error_se", "standard error"},
                                      {"valid_error_se", "standard error"}}) {
    if (field == name) return heading;
  }
  std::replace(field.begin(), field.end(), '_', ' ');
  return field;
}

Json section(const std::string& kind, const std::string& title) {
  Json result = Json::object();
  result["title"] = title;
  result["kind"] = kind;
  for (const char* part : {"notes", "facts", "figures", "tables"}) result[part] = Json::array();
  return result;
}

Json figure(const std::string& title, const Json& x, const std::string& y) {
  Json result = Json::object();
  result["title"] = title;
  result["kind"] = "lines";
  result["x"] = x;
  result["y"] = y;
  result["log_x"] = result["log_y"] = false;
  result["series"] = Json::array();
  return result;
}

Json column(const Json& points, const std::string& field) {
  Json numbers = Json::array();
  for (const Json& point : points) {
    const Json value = point.value(field, Json());
    if (!value.is_number() && !value.is_null()) {
      throw Error(fmt::format("{} is not a number", field));
    }
    numbers.push_back(value);
  }
  return numbers;
}

Json number_of(const Json& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) return nullptr;
  const std::string& text = value.get_ref<const std::string&>();
  const bool share = text.ends_with('%');
  const auto number = parse_finite(std::string_view(text).substr(0, text.size() - (share ? 1 : 0)));
  if (!number) return nullptr;
  return share ? *number / 100 : *number;
}

bool any_number(const Json& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](const Json& n) { return n.is_number(); });
}

void choose_log_x(Json& figure) {
  constexpr double kFar = 50;
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Json& series : figure["series"]) {
    const Json& x = series["x"];
    for (const Json& number : x.is_array() ? x : x.front()) {
      if (!number.is_number()) continue;
      low = std::min(low, number.get<double>());
      high = std::max(high, number.get<double>());
    }
  }
  figure["log_x"] = low > 0 && high >= kFar * low;
}

void add_facts(Json& section, const Json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items()) {
    std::string name = prefix + key;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (value.is_object()) {
      add_facts(section, value, name + " ");
    } else if (value.is_array()) {
      std::string text;
      bool simple = !value.empty();
      for (const Json& item : value) {
        simple &= item.is_primitive();
        if (!text.empty()) text += ", ";
        text += item.is_string() ? item.get<std::string>()
                : item.is_number_float()
                    ? fmt::format("{:.6g}", item.get<double>())
                    : item.dump(-1, ' ', false, Json::error_handler_t::replace);
      }
      if (simple) section["facts"].push_back({name, text});
    } else if (!value.is_null()) {
      section["facts"].push_back({name, value});
    }
  }
}

void add_metrics(Json& section, const Json& metrics, const std::vector<std::string>& fields) {
  const Json intervals = metrics.value("intervals", Json::object());
  for (const std::string& field : fields) {
    const Json value = metrics.value(field, Json());
    if (!value.is_number()) continue;
    const bool share = field == "error" || field == "accuracy" || field == "calibration_error";
    const auto text = [&](const Json& number) {
      const double x = number;
      const bool fixed = std::fabs(x) >= 0.01 && std::fabs(x) < 1;  // 0.7200 beside 0.7041
      return share ? percent_text(x) : fixed ? fmt::format("{:.4f}", x) : fmt::format("{:.4g}", x);
    };
    const Json interval = intervals.value(field, Json());
    std::string shown = text(value);
    if (interval.is_array()) {  // which a narrow page must not break
      shown += fmt::format(" [{},\u00a0{}]", text(interval.at(0)), text(interval.at(1)));
    }
    add_facts(section, {{heading_of(field), shown}});
  }
}

Json used_options(const Json& options, const std::string& solver) {
  Json used = options;
  for (const SolverInfo& info : solvers()) {  // a later version may have others
    if (info.name != solver) continue;
    for (std::string name : info.unused) {
      std::replace(name.begin(), name.end(), '-', '_');
      used.erase(name);
    }
  }
  return used;
}

void add_trouble(Json& section, Json& summary) {
  for (const Json& warning : summary.value("warnings", Json::array())) {
    section["notes"].push_back("Warning: " + warning.get<std::string>());
  }
  if (summary.contains("divergences")) {
    section["tables"].push_back(table("Divergences that the run rolled back from",
                                      summary["divergences"],
                                      {{"examples", "at example"},
                                       {"what", "what happened"},
                                       {"back_to", "back to example"},
                                       {"step", "steps times"}}));
  }
  summary.erase("warnings");
  summary.erase("divergences");
}

Json table(const std::string& title, const Json& points, const std::vector<Field>& fields) {
  Json result = Json::object();
  result["title"] = title;
  result["columns"] = Json::array();
  result["rows"] = Json::array();
  std::vector<Field> used;
  for (const Field& field : fields) {
    const bool some = std::any_of(points.begin(), points.end(), [&](const Json& point) {
      return !point.value(field.name, Json()).is_null();
    });
    if (!some) continue;
    used.push_back(field);
    result["columns"].push_back(field.heading);
  }
  for (const Json& point : points) {
    Json row = Json::array();
    for (const Field& field : used) {
      const Json cell = point.value(field.name, Json());
      if (!cell.is_primitive()) throw Error(fmt::format("{} is not a single value", field.name));
      row.push_back(cell);
    }
    result["rows"].push_back(std::move(row));
  }
  return result;
}

}  // namespace thresh::report
