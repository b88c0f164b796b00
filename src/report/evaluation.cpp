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

}  // namespace

Json eval_section(const std::string& file, const Json& metrics) {
  Json result = section("eval", "Evaluation: " + file);
  add_facts(result, metrics);
  if (!metrics.contains("classes")) return result;
  const Json& classes = metrics["classes"];
  result["tables"].push_back(
      table("Classes", classes, {{"label", "class"}, "precision", "recall", {"f1", "F1"}}));
  result["tables"].push_back(confusion_table(classes, metrics.at("confusion")));
  return result;
}

}  // namespace thresh::report
