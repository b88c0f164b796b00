// The section of a model: strongest features by class, exponents, and training details.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/sections.hpp"

namespace thresh::report {
namespace {

constexpr std::size_t kBars = 15;      // per class
constexpr std::size_t kRows = 10'000;  // in the table

struct Weight {
  const Coefficient* coefficient;
  std::string label;  // of the class it favours
};

std::string name_of(const Coefficient& coefficient) {
  return coefficient.name.empty() ? fmt::format("feature {}", coefficient.index) : coefficient.name;
}

// The class that a weight favours: its own class, or one of two by its sign.
std::vector<Weight> weights_of(const Model& model) {
  std::vector<Weight> weights;
  for (const ClassPart& part : model.classes) {
    for (const Coefficient& c : part.coefficients) {
      weights.push_back({&c, model.label_text(part.label)});
    }
  }
  const bool values = model.task == Task::regression;
  for (const Coefficient& c : model.coefficients) {
    const bool up = c.weight > 0;
    weights.push_back(
        {&c, values ? (up ? "larger" : "smaller")
                    : model.label_text(up ? model.positive_label : model.negative_label)});
  }
  std::stable_sort(weights.begin(), weights.end(), [](const Weight& a, const Weight& b) {
    return std::fabs(a.coefficient->weight) > std::fabs(b.coefficient->weight);
  });
  return weights;
}

Json strongest(const std::vector<Weight>& weights) {
  Json result = Json::object();
  result["title"] = "Strongest features by class";
  result["kind"] = "bars";
  result["y"] = "weight";
  result["series"] = Json::array();
  std::map<std::string, Json> classes;
  for (const Weight& weight : weights) {
    Json& series = classes[weight.label];
    if (series.is_null()) series = {{"name", "for " + weight.label}, {"labels", {}}, {"y", {}}};
    if (series["y"].size() == kBars) continue;
    series["labels"].push_back(name_of(*weight.coefficient));
    series["y"].push_back(weight.coefficient->weight);
  }
  for (auto& [label, series] : classes) result["series"].push_back(std::move(series));
  return result;
}

Json exponents(const std::vector<Weight>& weights) {
  std::map<int, std::uint64_t> counts;
  for (const Weight& weight : weights) ++counts[std::ilogb(weight.coefficient->weight)];
  Json result = figure("Exponents of the weights", "exponent", "weights");
  result["kind"] = "columns";
  result["note"] =
      "How many weights lie between 2^e and 2^(e+1). A sum loses terms that are 2^53 times smaller "
      "than the largest.";
  Json series = {{"name", "weights"}, {"x", Json::array()}, {"y", Json::array()}};
  for (int e = counts.begin()->first; e <= counts.rbegin()->first; ++e) {
    series["x"].push_back(e);
    series["y"].push_back(counts[e]);
  }
  result["series"].push_back(std::move(series));
  return result;
}

Json weight_table(const std::vector<Weight>& weights) {
  Json result = Json::object();
  result["title"] = "Weights";
  if (weights.size() > kRows) {
    result["note"] =
        fmt::format("The {} largest of {}; `thresh weights` prints all.", kRows, weights.size());
  }
  result["columns"] = {"feature", "name", "favours", "weight"};
  result["rows"] = Json::array();
  for (std::size_t i = 0; i < std::min(kRows, weights.size()); ++i) {
    const Coefficient& c = *weights[i].coefficient;
    result["rows"].push_back({c.index, c.name, weights[i].label, c.weight});
  }
  return result;
}

// The findings of theory() are a list, which is shown as a table.
void add_theory(Json& section, Json& summary) {
  if (!summary.contains("theory")) return;
  section["tables"].push_back(table("What is proven about the run", summary["theory"],
                                    {{"name", "what"}, "value", "note"}));
  summary.erase("theory");
}

}  // namespace

Json model_section(const std::string& file, const Model& model) {
  Json result = section("model", "Model: " + file);
  const std::vector<Weight> weights = weights_of(model);
  const char* const task = model.task == Task::regression ? "regression" : "classification";
  add_facts(result, {{"task", task},
                     {"features used", model.nonzeros()},
                     {"features in the data", model.dimension}});
  if (model.has_intercept && model.classes.empty()) {
    add_facts(result, {{"intercept", model.intercept}});
  }
  add_facts(result, model.options);
  if (!weights.empty()) {
    result["figures"] = Json::array({strongest(weights), exponents(weights)});
    result["tables"].push_back(weight_table(weights));
  }
  Json summary = model.summary;
  add_theory(result, summary);
  add_trouble(result, summary);
  add_facts(result, summary, "result: ");
  return result;
}

}  // namespace thresh::report
