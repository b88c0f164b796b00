// The section of a model: strongest features by class, exponents, and training details.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/sections.hpp"
#include "select/doubts.hpp"
#include "thresh/options.hpp"

namespace thresh::report {
namespace {

constexpr std::size_t kBars = 15;      // per class
constexpr std::size_t kFewBars = 5;    // likewise, if there are many classes
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
  for (const Weight& weight : weights) classes.try_emplace(weight.label);
  const std::size_t most = classes.size() > 3 ? kFewBars : kBars;
  for (const Weight& weight : weights) {
    Json& series = classes[weight.label];
    if (series.is_null()) series = {{"name", "for " + weight.label}, {"labels", {}}, {"y", {}}};
    if (series["y"].size() == most) continue;
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
  const bool named = std::any_of(weights.begin(), weights.end(), [](const Weight& weight) {
    return !weight.coefficient->name.empty();
  });
  result["columns"] =
      named ? Json{"feature", "name", "favours", "weight"} : Json{"feature", "favours", "weight"};
  result["rows"] = Json::array();
  for (std::size_t i = 0; i < std::min(kRows, weights.size()); ++i) {
    const Coefficient& c = *weights[i].coefficient;
    result["rows"].push_back(named ? Json{c.index, c.name, weights[i].label, c.weight}
                                   : Json{c.index, weights[i].label, c.weight});
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

namespace {

// How much of the data the model uses.
void add_size(Json& section, const Model& model) {
  const bool classes = !model.classes.empty();
  const std::uint64_t all = model.dimension * std::max<std::size_t>(1, model.classes.size());
  const double share =
      all > 0 ? static_cast<double>(model.nonzeros()) / static_cast<double>(all) : 0;
  add_facts(section, {{classes ? "weights" : "features used",
                       fmt::format("{} of {} ({})", grouped(model.nonzeros()), grouped(all),
                                   percent_text(share))}});
  if (classes) add_facts(section, {{"features in the data", model.dimension}});
}

// Counts of what did not happen say nothing.
Json without_zeros(Json summary) {
  for (const char* name : {"valid_rows", "valid_weight"}) {
    if (summary.value(name, Json()) == Json(0)) {
      summary.erase(name);
    }
  }
  return summary;
}

}  // namespace

std::string percent_text(double share) {
  return fmt::format("{:.4g}%", 100 * share);
}

Json model_section(const std::string& file, const Model& model) {
  Json result = section("model", "Model: " + file);
  const std::vector<Weight> weights = weights_of(model);
  const Json summary = model.summary;
  if (summary.contains("valid_error") && summary["valid_error"].is_number()) {
    const bool share = model.task == Task::classification;
    const double error = summary["valid_error"];
    add_facts(result,
              {{"error on held-out rows", share ? Json(percent_text(error)) : Json(error)}});
  }
  add_size(result, model);
  add_facts(result, {{"task", model.task == Task::regression ? "regression" : "classification"},
                     {"solver", model.solver}});
  if (model.threshold) add_facts(result, {{"threshold", model.threshold->margin}});
  if (!weights.empty()) {
    result["figures"].push_back(strongest(weights));
    result["tables"].push_back(weight_table(weights));
  }
  Json trouble = summary;
  add_trouble(result, trouble);
  return result;
}

Json expert_section(const std::string& file, const Model& model) {
  Json result = section("experts", "For experts: " + file);
  if (model.has_intercept && model.classes.empty()) {
    add_facts(result, {{"intercept", model.intercept}});
  }
  add_facts(result, used_options(model.options, model.solver));
  const std::vector<Weight> weights = weights_of(model);
  if (!weights.empty()) result["figures"].push_back(exponents(weights));
  Json summary = model.summary;
  add_theory(result, summary);
  for (const char* shown : {"warnings", "divergences"}) summary.erase(shown);
  add_facts(result, without_zeros(summary), "result: ");
  return result;
}

Json answer_section(const ModelResults& results, const Json& metrics) {
  const Model& model = results.model;
  Json result = section("answer", "The answer");
  add_metrics(result, metrics, {"error", "auc", "log_loss", "rmse", "mae", "r2"});
  add_size(result, model);
  add_facts(result, {{"rows", metrics.at("rows")}});
  result["notes"].push_back(fmt::format("{} on the rows of {}. In brackets: 95% intervals.",
                                        results.model_file, results.data_file));
  const std::vector<Weight> weights = weights_of(model);
  if (!weights.empty()) result["figures"].push_back(strongest(weights));
  return result;
}

}  // namespace thresh::report
