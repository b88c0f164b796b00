// The section of an evaluation: the metrics, and the results of each class.

#include <fmt/format.h>

#include "report/sections.hpp"

namespace thresh::report {
namespace {

std::string text_of(const Json& label) {
  return label.is_string()   ? label.get<std::string>()
         : label.is_number() ? fmt::format("{}", label.get<double>())
                             : label.dump();
}

// Rows are true classes, columns predicted ones.
Json confusion_table(const Json& classes, const Json& confusion) {
  Json result = Json::object();
  result["title"] = "Confusion";
  result["note"] = "Rows are true classes, columns are predicted classes.";
  result["columns"] = {"true"};
  result["rows"] = Json::array();
  for (const Json& one : classes) result["columns"].push_back(text_of(one.at("label")));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Json row = {text_of(classes[i].at("label"))};
    for (const Json& weight : confusion.at(i)) row.push_back(weight);
    result["rows"].push_back(std::move(row));
  }
  return result;
}

// `labels` of the two classes, if they are known.
Json confusion_of_two(const Json& counts, const Json& labels) {
  const auto called = [&](const char* name) {
    if (!labels.is_object()) return std::string(name);
    return fmt::format("{} ({})", text_of(labels.at(name)), name);
  };
  const std::string positive = called("positive"), negative = called("negative");
  return {{"title", "Confusion"},
          {"note", "Rows are true classes, columns are predicted classes."},
          {"columns", {"true", positive, negative}},
          {"rows",
           {{positive, counts.at("tp"), counts.at("fn")},
            {negative, counts.at("fp"), counts.at("tn")}}}};
}

Json series(const std::string& name, Json x, Json y) {
  return {{"name", name}, {"x", std::move(x)}, {"y", std::move(y)}};
}

// A curve of the thresholds, beside that of guesses.
Json curve(const std::string& title, const Json& points, const Field& x, const Field& y,
           bool diagonal) {
  Json result = figure(title, x.heading, y.heading);
  result["series"].push_back(series("model", column(points, x.name), column(points, y.name)));
  if (diagonal) result["series"].push_back(series("by chance", {0, 1}, {0, 1}));
  return result;
}

Json calibration(const Json& bins) {
  Json result = figure("Calibration", "probability", "share of positives");
  result["note"] = "Rows in ten bins by their probability, with standard errors.";
  Json points = series("model", column(bins, "probability"), column(bins, "positives"));
  points["se"] = Json::array();
  for (const Json& bin : bins) {
    constexpr double kWidth = 2 * 1.96;  // of a 95% interval, in standard errors
    const Json& interval = bin.at("interval");
    points["se"].push_back(
        interval.is_array()
            ? Json((interval.at(1).get<double>() - interval.at(0).get<double>()) / kWidth)
            : Json());
  }
  result["series"].push_back(std::move(points));
  result["series"].push_back(series("perfect", {0, 1}, {0, 1}));
  return result;
}

// Precision, recall and F1 of each class, with their intervals.
Json table_of_classes(const Json& classes) {
  Json rows = Json::array();
  std::vector<Field> fields = {{"label", "class"}};
  for (const char* figure : {"precision", "recall", "f1"}) {
    fields.emplace_back(figure);
    fields.emplace_back(std::string(figure) + "_interval", "95% interval");
  }
  for (const Json& one : classes) {
    Json row = one;
    row.erase("intervals");
    const Json intervals = one.value("intervals", Json::object());
    for (const auto& [figure, interval] : intervals.items()) {
      if (!interval.is_array()) continue;
      row[figure + "_interval"] = fmt::format("{:.4f} to {:.4f}", interval.at(0).get<double>(),
                                              interval.at(1).get<double>());
    }
    rows.push_back(std::move(row));
  }
  return table("Classes", rows, fields);
}

void add_curves(Json& section, const Json& metrics) {
  if (metrics.contains("curve")) {
    const Json& points = metrics["curve"];
    const Field hits("true_positive_rate", "true positive rate");
    const Field found("true_positive_rate", "share of positives found");
    section["figures"].push_back(
        curve("ROC", points, {"false_positive_rate", "false positive rate"}, hits, true));
    section["figures"].push_back(curve("Precision against recall", points,
                                       {"true_positive_rate", "recall"}, "precision", false));
    section["figures"].push_back(
        curve("Gains", points, {"share", "share of rows, the most likely first"}, found, true));
  }
  if (metrics.contains("calibration")) {
    section["figures"].push_back(calibration(metrics["calibration"]));
  }
  const Json& counts = metrics.at("confusion");
  if (counts.is_object())
    section["tables"].push_back(confusion_of_two(counts, metrics.value("labels", Json())));
}

}  // namespace

Json eval_section(const std::string& file, const Json& metrics) {
  Json result = section("eval", "Evaluation: " + file);
  const std::vector<std::string> figures = {
      "error",    "accuracy",          "auc",  "f1",  "precision", "recall",
      "log_loss", "calibration_error", "rmse", "mae", "r2"};
  add_metrics(result, metrics, figures);
  Json facts = metrics;
  for (const std::string& shown : figures) facts.erase(shown);
  for (const char* shown : {"confusion", "curve", "calibration", "intervals", "labels"}) {
    facts.erase(shown);
  }
  for (const char* count : {"bad_rows", "nonzeros", "dimension", "weights"}) facts.erase(count);
  if (metrics.value("weight", 0.0) == metrics.value("rows", 0.0)) facts.erase("weight");
  add_facts(result, facts);
  if (metrics.value("bad_rows", Json(0)) != Json(0)) {
    add_facts(result, {{"bad rows", metrics["bad_rows"]}});
  }
  if (metrics.contains("intervals")) result["notes"].push_back("In brackets: 95% intervals.");
  if (metrics.contains("confusion")) add_curves(result, metrics);
  if (!metrics.contains("classes")) return result;
  const Json& classes = metrics["classes"];
  result["tables"].push_back(table_of_classes(classes));
  result["tables"].push_back(confusion_table(classes, metrics.at("confusion")));
  return result;
}

Json uses_section(const std::string& file, const Json& uses) {
  Json result = section("uses", "Which features decide: " + file);
  Json features = uses.at("features");
  if (features.empty()) return result;
  Json bars = {{"title", "What features add, by magnitude"},
               {"kind", "bars"},
               {"y", "mean over the rows that have them"},
               {"series", Json::array()}};
  Json labels = Json::array(), values = Json::array();
  for (Json& feature : features) {
    const std::string name = feature.at("name");
    if (name.empty()) feature["name"] = "feature " + feature.at("index").dump();
    if (labels.size() == 15) continue;
    labels.push_back(feature["name"]);
    values.push_back(feature.at("mean"));
  }
  bars["series"].push_back({{"name", "features"}, {"labels", labels}, {"y", values}});
  result["figures"].push_back(std::move(bars));
  result["tables"].push_back(table("Features by what they add", features,
                                   {{"name", "feature"},
                                    {"label", "for"},
                                    {"rows", "rows with it"},
                                    {"strongest", "strongest in"},
                                    {"decisive", "decisive in"},
                                    {"mean", "adds on average"},
                                    "weight"}));
  return result;
}

}  // namespace thresh::report
