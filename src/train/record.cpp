#include "train/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "data/feed/feature_scales.hpp"
#include "data/feed/pairs.hpp"
#include "data/names/vocabulary.hpp"
#include "model/names.hpp"
#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/coefficients.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// Model files leave out some options where they have their default.
void put_options(Record& record, const Options& options, std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    const Json value = option_json(options, name);
    const bool is_default =
        value.is_null() || value == false || value == "ovr" || value == "none" || value == "last";
    if (is_default && name != "features" && name != "density") continue;
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    record[key] = value.get<Value>();
  }
}

// A weight that is not finite has no number in JSON: `what` says it.
Record record_of(const Divergence& divergence) {
  Record record;
  record["row"] = divergence.row;
  record["line"] = divergence.line;
  record["feature"] = divergence.feature;
  record["weight"] = divergence.weight;
  record["examples"] = divergence.examples;
  record["back_to"] = divergence.back_to;
  record["step"] = divergence.step;
  record["what"] = divergence.what;
  return record;
}

// The pairs among the features of the model.
void add_pairs_of(const Problem& problem, Model& model) {
  if (!problem.pairs) return;
  model.interactions = problem.interactions;
  const std::uint64_t first = problem.zero_based ? 0 : 1;
  std::set<std::uint64_t> ids;
  const auto add = [&](const std::vector<Coefficient>& coefficients) {
    for (const Coefficient& coefficient : coefficients) {
      const std::uint64_t id = coefficient.index - first;
      if (id >= problem.pairs->features()) ids.insert(id);
    }
  };
  add(model.coefficients);
  for (const ClassPart& part : model.classes) add(part.coefficients);
  for (const std::uint64_t id : ids) {
    const auto& [a, b] = problem.pairs->at(id);
    model.pairs.push_back({id + first, a + first, b + first, "", ""});
  }
  name_pairs(model);
}

}  // namespace

std::vector<std::pair<std::uint64_t, double>> plain_weights(const SparseWeights& model,
                                                            const Problem& problem,
                                                            double& intercept) {
  std::vector<std::pair<std::uint64_t, double>> plain;
  std::map<std::uint32_t, double> by_slot;
  for (std::size_t k = 0; k < model.slots.size(); ++k) {
    const std::uint32_t slot = model.slots[k];
    const std::uint64_t index = problem.features->id(slot) + (problem.zero_based ? 0 : 1);
    by_slot[slot] = unscaled(model.weights[k], slot, problem, index);
    plain.emplace_back(index, by_slot[slot]);
  }
  std::sort(plain.begin(), plain.end());
  intercept = model.intercept;
  if (!problem.scales) return plain;
  for (const auto& [slot, centre] : problem.scales->centres()) {
    if (const auto at = by_slot.find(slot); at != by_slot.end()) intercept -= at->second * centre;
  }
  return plain;
}

Model make_model(const Problem& problem, const Options& options, const LabelMap& labels,
                 const Solver& solver, std::uint64_t dimension) {
  Model model;
  model.task = options.task;
  model.solver = options.solver;
  model.format = problem.format;
  if (problem.vocabulary) {
    model.reading = problem.vocabulary->reading;
    model.text = problem.vocabulary->text;
    model.column_texts = problem.vocabulary->column_texts;
  }
  if (const Survey* survey = problem.train->survey(); survey != nullptr) {
    model.label_names = survey->label_names;
  }
  model.zero_based = problem.zero_based;
  model.normalize_l2 = problem.normalize_l2;
  model.dimension = dimension;
  model.has_intercept = options.intercept;
  model.log_link = loss_of(options) == Loss::poisson;
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
  add_pairs_of(problem, model);
  model.options = options_record(options);
  if (problem.scales) model.options["scale"] = name_of(problem.scales->kind());
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
  require(model.class_labels() == labels.class_labels(), "on other classes");
  if (model.task == Task::classification && labels.both_known() && model.classes.empty()) {
    require(model.positive_label == labels.positive() && model.negative_label == labels.negative(),
            fmt::format("on the labels {:g} and {:g}, not {:g} and {:g}", model.negative_label,
                        model.positive_label, labels.negative(), labels.positive()));
  }
}

Record options_record(const Options& options) {
  Record record;
  record["solver"] = options.solver;
  const SolverInfo& info = find_solver(options.solver).info;
  for (const OptionInfo& option : info.options) {
    const SolverSetup setup{options, info};
    const std::string& name = option.name;
    if (!option.recorded && !options.solver_options.contains(name)) continue;
    record[name] = option.kind == OptionInfo::Kind::number ? Value(setup.number(name))
                   : option.kind == OptionInfo::Kind::flag ? Value(setup.flag(name))
                                                           : Value(setup.word(name));
  }
  Options used = options;
  used.loss = loss_of(options);
  used.schedule = schedule_of(options);
  put_options(record, used,
              {"loss", "huber-delta", "quantile", "eta", "lambda", "schedule", "features",
               "density", "shared-budget", "at-budget", "keep", "signs",
               options.steps ? "steps" : "passes", "order", "iterate", "seed", "holdout"});
  if (options.folds > 0) record["fold"] = fmt::format("{} of {}", options.fold + 1, options.folds);
  put_options(record, used, {"compensated", "multiclass", "class-weight"});
  if (!options.weights_file.empty()) record["weighted"] = true;
  return record;
}

Record summary_record(const Status& status, const FitResult& result) {
  Record record = trace_record(result.last);
  // The same run must give the same file, watched or not.
  for (const char* observed : {"seconds", "objective", "train_error", "exponents_within",
                               "exponents_mean", "exponents_deviation"}) {
    record.erase(observed);
  }
  record["progressive_error"] = result.last.at.progressive_error;
  record["status"] = name_of(status.outcome);
  record["reason"] = status.reason;
  if (!result.warnings.empty()) record["warnings"] = result.warnings;
  Value::List divergences, theory;
  for (const Divergence& divergence : result.divergences) {
    divergences.emplace_back(record_of(divergence));
  }
  for (const Finding& finding : result.theory) {
    Record entry;
    entry["name"] = finding.name;
    entry["value"] = finding.value;
    entry["note"] = finding.note;
    theory.emplace_back(std::move(entry));
  }
  if (!divergences.empty()) record["divergences"] = std::move(divergences);
  if (!theory.empty()) record["theory"] = std::move(theory);
  return record;
}

Record trace_record(const TracePoint& point) {
  Record record;
  record["pass"] = point.at.pass;
  record["examples"] = point.at.examples;
  record["updates"] = point.at.updates;
  record["data_accesses"] = point.at.accesses;
  record["seconds"] = point.at.seconds;
  record["objective"] = point.objective;
  record["nonzeros"] = point.at.nonzeros;
  record["density"] = point.at.density();
  record["train_error"] = point.train_error;
  record["valid_error"] = point.valid_error;
  record["valid_error_se"] = point.valid_error_se;
  record["valid_loss"] = point.valid_loss;
  record["valid_rows"] = point.valid_rows;
  record["valid_weight"] = point.valid_weight;
  const auto& exponents = point.exponents;
  record["exponents_within"] = exponents ? std::optional(exponents->within) : std::nullopt;
  record["exponents_mean"] = exponents ? std::optional(exponents->mean) : std::nullopt;
  record["exponents_deviation"] = exponents ? std::optional(exponents->deviation) : std::nullopt;
  return record;
}

std::string trace_json(const TracePoint& point) {
  return trace_record(point).json();
}

}  // namespace thresh
