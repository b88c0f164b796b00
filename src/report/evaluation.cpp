// The section of an evaluation: the metrics, and the results of each class.

#include "report/sections.hpp"

namespace thresh::report {
namespace {

// Rows are true classes, columns predicted ones.
Json confusion_table(const Json& classes, const Json& confusion) {
  Json result = Json::object();
  result["title"] = "Confusion";
  result["note"] = "Rows are true classes, columns are predicted classes.";
  result["columns"] = {"true"};
  result["rows"] = Json::array();
  const auto text = [](const Json& label) {
    return label.is_string() ? label.get<std::string>() : label.dump();
  };
  for (const Json& one : classes) result["columns"].push_back(text(one.at("label")));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Json row = {text(classes[i].at("label"))};
    for (const Json& weight : confusion.at(i)) row.push_back(weight);
    result["rows"].push_back(std::move(row));
  }
  return result;
}

Json confusion_of_two(const Json& counts) {
  return {{"title", "Confusion"},
          {"note", "Rows are true classes, columns are predicted classes."},
          {"columns", {"true", "positive", "negative"}},
          {"rows",
           {{"positive", counts.at("tp"), counts.at("fn")},
            {"negative", counts.at("fp"), counts.at("tn")}}}};
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
  if (counts.is_object()) section["tables"].push_back(confusion_of_two(counts));
}

}  // namespace

Json eval_section(const std::string& file, const Json& metrics) {
  Json result = section("eval", "Evaluation: " + file);
  Json facts = metrics;
  for (const char* shown : {"confusion", "curve", "calibration"}) facts.erase(shown);
  add_facts(result, facts);
  if (metrics.contains("confusion")) add_curves(result, metrics);
  if (!metrics.contains("classes")) return result;
  const Json& classes = metrics["classes"];
  result["tables"].push_back(
      table("Classes", classes, {{"label", "class"}, "precision", "recall", {"f1", "F1"}}));
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
