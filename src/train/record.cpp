#include "train/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/feed/feature_scales.hpp"
#include "data/names/vocabulary.hpp"
#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) {
    json[key] = *value;
  } else {
    json[key] = nullptr;
  }
}

// Model files leave out some options where they have their default.
void put_options(Json& json, const Options& options, std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    const Json value = option_json(options, name);
    const bool is_default =
        value.is_null() || value == false || value == "ovr" || value == "none" || value == "last";
    if (is_default && name != "features" && name != "density") continue;
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    json[key] = value;
  }
}

// A weight that is not finite has no number in JSON: `what` says it.
Json to_json(const Divergence& divergence) {
  Json json;
  put(json, "row", divergence.row);
  put(json, "line", divergence.line);
  put(json, "feature", divergence.feature);
  json["weight"] = divergence.weight;
  json["examples"] = divergence.examples;
  json["back_to"] = divergence.back_to;
  json["step"] = divergence.step;
  json["what"] = divergence.what;
  return json;
}

// A weight for values as they are. Huge values may leave no double for it, or one of few digits;
// that matters only for a weight that a margin notices.
double unscaled(double weight, std::uint32_t slot, const Problem& problem, std::uint64_t index) {
  constexpr double kUnnoticed = 1e-200;
  constexpr double kDigits = 1e-9;
  if (!problem.scales) return weight;
  const double scale = problem.scales->at(slot);
  const double plain = weight / scale;
  if (std::isnormal(plain) || scale == 1) return plain;
  const bool near = std::fabs(plain * scale - weight) <= kDigits * std::fabs(weight);
  if (std::isfinite(plain) && (near || std::fabs(weight) < kUnnoticed)) return plain;
  throw Error(
      fmt::format("{}: the weight of feature {}, {:g} for values divided by {:g}, is no double for "
                  "the values themselves (bring them to another scale)",
                  problem.train->name(), index, weight, scale));
}

// For features as they are.
double intercept_of(const LinearState& state, const Problem& problem) {
  return problem.scales ? state.intercept - problem.scales->at_centres(state.weights)
                        : state.intercept;
}

// The non-zeros by ascending index.
std::vector<Coefficient> coefficients_of(const LinearState& state, const Problem& problem) {
  std::vector<Coefficient> coefficients;
  coefficients.reserve(state.nonzeros);
  for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
    if (state.weights[slot] == 0) continue;
    const auto at = static_cast<std::uint32_t>(slot);
    const std::uint64_t index = problem.features->id(at) + (problem.zero_based ? 0 : 1);
    const double weight = unscaled(state.weights[slot], at, problem, index);
    if (weight != 0) coefficients.push_back({index, weight, ""});
  }
  std::sort(coefficients.begin(), coefficients.end(),
            [](const Coefficient& a, const Coefficient& b) { return a.index < b.index; });
  return coefficients;
}

}  // namespace

Model make_model(const Problem& problem, const Options& options, const LabelMap& labels,
                 const Solver& solver, std::uint64_t dimension) {
  Model model;
  model.task = options.task;
  model.solver = options.solver;
  model.format = problem.format;
  if (problem.vocabulary) {
    model.reading = problem.vocabulary->reading;
    model.text = problem.vocabulary->text;
  }
  if (const Survey* survey = problem.train->survey(); survey != nullptr) {
    model.label_names = survey->label_names;
  }
  model.zero_based = problem.zero_based;
  model.normalize_l2 = problem.normalize_l2;
  model.dimension = dimension;
  model.has_intercept = options.intercept;
  const bool logistic = options.task == Task::classification && loss_of(options) == Loss::logistic;
  for (std::size_t c = 0; c < labels.class_labels().size(); ++c) {
    const LinearState& state = solver.parts()[c]->state();
    model.classes.push_back(
        {labels.class_labels()[c], intercept_of(state, problem), coefficients_of(state, problem)});
    model.class_link = options.multiclass == Multiclass::softmax ? ClassLink::softmax
                       : logistic                                ? ClassLink::logistic
                                                                 : ClassLink::none;
  }
  if (model.classes.empty()) {
    model.intercept = intercept_of(solver.state(), problem);
    model.coefficients = coefficients_of(solver.state(), problem);
    if (logistic) model.calibration = Calibration{};
    if (options.task == Task::classification) {
      model.positive_label = labels.positive();
      // Interrupted before a second class was met: any other label will do.
      model.negative_label = labels.both_known() ? labels.negative() : labels.positive() - 1;
    }
  }
  Json as_used = Json::parse(options_json(options));
  if (problem.scales) as_used["scale"] = name_of(problem.scales->kind());
  model.options = as_used.dump();
  return model;
}

void check_same_data(const Model& model, const Problem& problem, const LabelMap& labels) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw Error("the model to start from was trained " + what);
  };
  require(model.task == labels.task(), "for another task");
  require(model.format == problem.format, fmt::format("on {}", name_of(model.format)));
  require(model.zero_based == problem.zero_based,
          model.zero_based ? "with --zero-based" : "without --zero-based");
  require(model.normalize_l2 == problem.normalize_l2,
          model.normalize_l2 ? "with --normalize l2" : "without --normalize l2");
  std::vector<double> classes;
  for (const ClassPart& part : model.classes) classes.push_back(part.label);
  require(classes == labels.class_labels(), "on other classes");
  if (model.task == Task::classification && labels.both_known() && classes.empty()) {
    require(model.positive_label == labels.positive() && model.negative_label == labels.negative(),
            fmt::format("on the labels {:g} and {:g}, not {:g} and {:g}", model.negative_label,
                        model.positive_label, labels.negative(), labels.positive()));
  }
}

std::string options_json(const Options& options) {
  Json json;
  json["solver"] = options.solver;
  const SolverInfo& info = find_solver(options.solver).info;
  for (const OptionInfo& option : info.options) {
    const SolverSetup setup{options, info};
    const std::string& name = option.name;
    if (!option.recorded && !options.solver_options.contains(name)) continue;
    json[name] = option.kind == OptionInfo::Kind::number ? Json(setup.number(name))
                 : option.kind == OptionInfo::Kind::flag ? Json(setup.flag(name))
                                                         : Json(setup.word(name));
  }
  Options used = options;
  used.loss = loss_of(options);
  used.schedule = schedule_of(options);
  put_options(
      json, used,
      {"loss", "eta", "lambda", "schedule", "features", "density", "shared-budget", "at-budget",
       "keep", options.steps ? "steps" : "passes", "order", "iterate", "seed", "holdout"});
  if (options.folds > 0) json["fold"] = fmt::format("{} of {}", options.fold + 1, options.folds);
  put_options(json, used, {"compensated", "multiclass", "class-weight"});
  if (!options.weights_file.empty()) json["weighted"] = true;
  return json.dump();
}

std::string summary_json(const Status& status, const FitResult& result) {
  Json json = Json::parse(trace_json(result.last));
  // The same run must give the same file, watched or not.
  for (const char* observed : {"seconds", "objective", "train_error", "exponents_within",
                               "exponents_mean", "exponents_deviation"}) {
    json.erase(observed);
  }
  json["progressive_error"] = result.last.at.progressive_error;
  json["status"] = name_of(status.outcome);
  json["reason"] = status.reason;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  for (const Divergence& divergence : result.divergences) {
    json["divergences"].push_back(to_json(divergence));
  }
  for (const Finding& finding : result.theory) {
    Json& entry = json["theory"].emplace_back();
    entry["name"] = finding.name;
    put(entry, "value", finding.value);
    entry["note"] = finding.note;
  }
  return json.dump();
}

std::string trace_json(const TracePoint& point) {
  Json json;
  json["pass"] = point.at.pass;
  json["examples"] = point.at.examples;
  json["updates"] = point.at.updates;
  json["data_accesses"] = point.at.accesses;
  json["seconds"] = point.at.seconds;
  put(json, "objective", point.objective);
  json["nonzeros"] = point.at.nonzeros;
  json["density"] = point.at.density();
  put(json, "train_error", point.train_error);
  put(json, "valid_error", point.valid_error);
  put(json, "valid_error_se", point.valid_error_se);
  put(json, "valid_loss", point.valid_loss);
  json["valid_rows"] = point.valid_rows;
  json["valid_weight"] = point.valid_weight;
  const auto& exponents = point.exponents;
  put(json, "exponents_within", exponents ? std::optional(exponents->within) : std::nullopt);
  put(json, "exponents_mean", exponents ? std::optional(exponents->mean) : std::nullopt);
  put(json, "exponents_deviation", exponents ? std::optional(exponents->deviation) : std::nullopt);
  return json.dump();
}

}  // namespace thresh
