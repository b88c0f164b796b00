// Many models: frontier, path, cross-validation, tuning; and the diagnosis of data.

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <sstream>

#include "capi/problem.hpp"
#include "thresh/diagnose.hpp"
#include "thresh/error.hpp"

namespace thresh::capi {
namespace {

void hold_out_the_usual(const thresh_data* valid, const Parsed& settings, Options& options) {
  if (settings.has("holdout") && options.holdout == 0) {
    throw UsageError("--holdout 0% leaves no rows for validation");
  }
  if (valid == nullptr && options.holdout == 0) options.holdout = kUsualHoldout;
}

// Hands over models in an array.
void hand_over_models(std::vector<Model> made, thresh_model*** models, uint64_t* count) {
  if (models == nullptr || count == nullptr) return;
  std::vector<std::unique_ptr<thresh_model>> owned;
  for (Model& model : made) owned.push_back(std::make_unique<thresh_model>(std::move(model)));
  auto** const array =
      static_cast<thresh_model**>(std::malloc((owned.size() + 1) * sizeof(thresh_model*)));
  if (array == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < owned.size(); ++i) array[i] = owned[i].release();
  *models = array;
  *count = owned.size();
}

Json point_json(const SizedResult& point) {
  Json json = Json::object();
  json["features"] = point.budget;
  json["nonzeros"] = point.last.at.nonzeros;
  json["valid_error"] = or_null(point.last.valid_error);
  json["valid_error_se"] = or_null(point.last.valid_error_se);
  json["valid_loss"] = or_null(point.last.valid_loss);
  for (const auto& [name, value] : point.settings) json["settings"][name] = value;
  return json;
}

Json estimate_json(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"se", or_null(estimate.se)}};
}

Json judged_json(const Judged& judged) {
  Json json = Json::object();
  json["settings"] = Json::object();
  for (const auto& [name, value] : judged.candidate.settings) json["settings"][name] = value;
  json["failure"] = judged.failure;
  if (!judged.failure.empty()) return json;
  json["error"] = estimate_json(judged.error);
  json["loss"] = estimate_json(judged.loss);
  json["nonzeros"] = estimate_json(judged.nonzeros);
  for (const Trial& trial : judged.trials) {
    json["trials"].push_back({{"rows", trial.rows},
                              {"error", trial.error},
                              {"error_se", trial.error_se},
                              {"loss", trial.loss},
                              {"nonzeros", trial.nonzeros}});
  }
  return json;
}

std::vector<Options> solvers_of(const Parsed& settings, const thresh_settings* given,
                                thresh_call* call, const thresh_data* valid) {
  std::vector<Options> all;
  std::istringstream names(settings.text("solvers", settings.options.solver));
  for (std::string name; std::getline(names, name, ',');) {
    thresh_settings with = given != nullptr ? *given : thresh_settings{};
    with.given.emplace_back("solver", name);
    Options options = parsed(&with, call, {"solvers", "budgets"}).options;
    hold_out_the_usual(valid, settings, options);
    options.trace.reset();
    all.push_back(std::move(options));
  }
  return all;
}

// These are about one model and its size.
const std::vector<std::string>& of_one_training() {
  static const std::vector<std::string> names = {"certify",      "prove",   "prove-time",
                                                 "threshold-by", "partial", "max-error"};
  return names;
}

void frontier(const thresh_settings* given, const thresh_data& data, const thresh_data* valid,
              thresh_call* call, thresh_model*** models, uint64_t* count, char** report) {
  Parsed settings = parsed(given, call, {"solvers", "budgets"});
  refuse_settings(settings, of_one_training(), "a frontier");
  refuse_settings(settings, {"by"}, "a frontier");
  if (settings.options.features || settings.options.density) {
    throw UsageError("a frontier has all sizes; give budgets instead of features or density");
  }
  const std::vector<Options> solvers = solvers_of(settings, given, call, valid);
  const Problem problem = open(data, valid, settings);
  const std::string text = settings.text("budgets");
  const std::vector<std::uint64_t> budgets =
      text.empty() ? usual_budgets_for(problem, solvers.front())
                   : parse_budgets(text, largest_budget(problem, solvers.front()));
  SearchWatch watch(call, "learning models of all sizes");
  Json json = Json::object();
  json["solvers"] = Json::array();
  std::vector<Model> made;
  for (Frontier& found : learn_frontiers(problem, solvers, budgets, watch)) {
    Json& entry = json["solvers"].emplace_back(Json::object());
    entry["solver"] = found.solver;
    entry["seconds"] = found.seconds;
    entry["failure"] = found.failure;
    entry["warnings"] = found.warnings;
    entry["points"] = Json::array();
    if (found.failure.empty()) entry["smallest_near_best"] = point_json(smallest_near_best(found));
    for (FrontierPoint& point : found.points) {
      entry["points"].push_back(point_json(point));
      name_features(data, point.model);
      made.push_back(std::move(point.model));
    }
  }
  hand_over(json, report);
  hand_over_models(std::move(made), models, count);
}

std::vector<Candidate> path_candidates(Parsed& settings) {
  const auto& given = settings.others;
  const bool says = given.contains("over") || given.contains("values") || given.contains("from") ||
                    given.contains("to");
  const bool by_ratio = !says && solver_named(settings.options.solver).lambdas;
  const std::string over = settings.text("over", by_ratio ? "lambda-ratio" : "");
  const std::string first = settings.text("from", by_ratio ? "1" : "");
  const std::string last = settings.text("to", by_ratio ? "0.001" : "");
  const std::string values = settings.text("values");
  if (over.empty()) throw UsageError("over is required, such as lambda");
  const bool ends = !first.empty() && !last.empty();
  if (ends == !values.empty()) throw UsageError("give from and to, or values");
  const std::uint64_t count = settings.count("count", by_ratio ? 20 : 10);
  const std::string range = ends ? fmt::format("log:{}:{}:{}", first, last, count) : values;
  std::vector<Candidate> candidates =
      grid_candidates(settings.options, parse_grid(over + "=" + range, settings.options.solver));
  for (Candidate& candidate : candidates) {
    check_options(candidate.options);
    // The end of every run is scored on the rows it learned from as well.
    candidate.options.trace =
        TraceAt{TraceAt::Kind::examples, std::numeric_limits<std::uint64_t>::max()};
  }
  settings.others["over"] = over;
  return candidates;
}

void path(const thresh_settings* given, const thresh_data& data, const thresh_data* valid,
          thresh_call* call, thresh_model*** models, uint64_t* count, char** report) {
  Parsed settings = parsed(given, call, {"over", "values", "from", "to", "count"});
  refuse_settings(settings, of_one_training(), "a path");
  refuse_settings(settings, {"by"}, "a path");
  const std::vector<Candidate> candidates = path_candidates(settings);
  const std::string over = settings.text("over");
  const Problem problem = open(data, valid, settings);
  SearchWatch watch(call, "learning a path");
  Json json{{"solver", settings.options.solver}, {"over", over}, {"points", Json::array()}};
  std::vector<Model> made;
  std::vector<FitResult> results = learn_path(problem, over, candidates, watch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json point{{"value", candidates[i].settings.front().second},
               {"status", name_of(results[i].status.outcome)},
               {"nonzeros", results[i].last.at.nonzeros},
               {"objective", or_null(results[i].last.objective)},
               {"train_error", or_null(results[i].last.train_error)},
               {"valid_error", or_null(results[i].last.valid_error)},
               {"valid_loss", or_null(results[i].last.valid_loss)}};
    json["points"].push_back(std::move(point));
    name_features(data, results[i].model);
    made.push_back(std::move(results[i].model));
  }
  hand_over(json, report);
  hand_over_models(std::move(made), models, count);
}

Model tuned(const thresh_settings* given, const thresh_data& data, const thresh_data* valid,
            thresh_call* call, char** report) {
  Parsed settings = parsed(given, call, {"grid", "search", "candidates", "cv", "by", "one-se"});
  refuse_settings(settings, of_one_training(), "tune");
  const std::vector<Axis> axes = parse_grid(settings.text("grid"), settings.options.solver);
  if (axes.empty()) throw UsageError("grid is required, such as lambda=log:1e-6:1e-2:5");
  const std::string search = settings.text("search", "grid");
  const std::string by = settings.text("by", "error");
  if (search != "grid" && search != "random" && search != "halving") {
    throw UsageError("--search: use grid, random, halving");
  }
  if (by != "error" && by != "loss") throw UsageError("--by: use error, loss");
  TuneOptions options;
  options.search = search == "halving" ? Search::halving : Search::all;
  options.folds = settings.count("cv", 0);
  options.by = by == "loss" ? By::loss : By::error;
  options.one_se = settings.flag("one-se");
  Options base = settings.options;
  if (valid == nullptr && options.folds == 0 && base.holdout == 0) base.holdout = kUsualHoldout;
  const std::uint64_t drawn = settings.count("candidates", 0);
  if ((search == "random") != (drawn > 0)) {
    throw UsageError("--search random and --candidates go together");
  }
  const std::vector<Candidate> candidates =
      drawn > 0 ? random_candidates(base, axes, drawn) : grid_candidates(base, axes);
  const Problem problem = open(data, valid, settings);
  SearchWatch watch(call, "tuning");
  const TuneResult result = tune(problem, candidates, options, &watch);
  if (!result.chosen) {
    throw Error("all candidates failed; the first one: " + result.candidates.front().failure);
  }
  const Candidate& chosen = result.candidates[*result.chosen].candidate;
  Json json{{"solver", settings.options.solver}, {"candidates", Json::array()}};
  json["chosen"] = *result.chosen;
  for (const Judged& judged : result.candidates) json["candidates"].push_back(judged_json(judged));
  RunWatch run(call);
  FitResult refit =
      fit(with_scale(problem, chosen.scale.value_or(FeatureScale::automatic), base.stop),
          for_all_rows(chosen.options), nullptr, &run);
  if (refit.status.outcome == Outcome::diverged) {
    throw Error("training on all rows diverged: " + refit.status.reason);
  }
  name_features(data, refit.model);
  json["refit"] = refit.model.summary;
  hand_over(json, report);
  return std::move(refit.model);
}

Json diagnosis(const thresh_settings* given, const thresh_data& data, thresh_call* call) {
  Parsed settings = parsed(given, call, {"only", "epsilon", "gamma", "lambda", "exact-optimum"});
  refuse_learning(settings,
                  {"only", "epsilon", "gamma", "lambda", "exact-optimum", "loss", "task", "delta"},
                  "diagnose");
  Problem problem = open(data, nullptr, settings);
  problem.train = retained(problem.train, settings.options.memory);
  DiagnoseOptions options;
  std::istringstream names(settings.text("only"));
  for (std::string name; std::getline(names, name, ',');) options.only.push_back(name);
  options.task = settings.options.task;
  if (settings.others.contains("epsilon")) {
    options.epsilon = number_of("epsilon", settings.text("epsilon"));
    if (!(options.epsilon > 0)) throw UsageError("--epsilon must be above 0");
  }
  if (settings.others.contains("gamma")) {
    options.gamma = number_of("gamma", settings.text("gamma"));
    if (!(*options.gamma > 0)) throw UsageError("--gamma must be above 0");
  }
  options.lambda = number_of("lambda", settings.text("lambda", "1e-4"));
  if (options.lambda < 0) throw UsageError("--lambda must not be negative");
  options.loss = settings.options.loss.value_or(Loss::logistic);
  options.delta = settings.delta;
  options.exact_optimum = settings.flag("exact-optimum");
  options.stop = settings.options.stop;
  Json json = Json::array();
  for (const DiagnosisPart& part : diagnose(problem, options)) {
    json.push_back({{"name", part.name}, {"text", part.text}, {"json", part.json}});
  }
  return Json{{"parts", json}};
}

}  // namespace
}  // namespace thresh::capi

int thresh_frontier(const thresh_settings* settings, const thresh_data* data,
                    const thresh_data* valid, thresh_call* call, thresh_model*** models,
                    uint64_t* count, char** report) {
  return thresh::capi::guarded(
      [&] { thresh::capi::frontier(settings, *data, valid, call, models, count, report); });
}

int thresh_path(const thresh_settings* settings, const thresh_data* data, const thresh_data* valid,
                thresh_call* call, thresh_model*** models, uint64_t* count, char** report) {
  return thresh::capi::guarded(
      [&] { thresh::capi::path(settings, *data, valid, call, models, count, report); });
}

int thresh_cv(const thresh_settings* settings, const thresh_data* data, thresh_call* call,
              char** report) {
  return thresh::capi::guarded([&] {
    thresh::capi::Parsed how = thresh::capi::parsed(settings, call, {"folds"});
    thresh::capi::refuse_settings(
        how, {"certify", "prove", "prove-time", "threshold-by", "partial"}, "cv");
    const std::uint64_t folds = how.count("folds", 5);
    if (folds < 2) throw thresh::UsageError("--folds must be at least 2");
    const bool sizes = thresh::solver_named(how.options.solver).many_sizes;
    if (!sizes || how.options.features || how.options.density) thresh::check_options(how.options);
    const thresh::Problem problem = thresh::capi::open(*data, nullptr, how);
    thresh::capi::SearchWatch watch(call, "cross-validating");
    const thresh::Judged judged =
        sizes ? thresh::cross_validate_training(problem, how.options, folds, &watch)
              : thresh::cross_validate(problem, {{{}, how.options, {}}}, folds, &watch).front();
    if (!judged.failure.empty()) throw thresh::Error(judged.failure);
    thresh::capi::hand_over(thresh::capi::judged_json(judged), report);
  });
}

int thresh_tune(const thresh_settings* settings, const thresh_data* data, const thresh_data* valid,
                thresh_call* call, thresh_model** model, char** report) {
  return thresh::capi::guarded([&] {
    *model = new thresh_model(thresh::capi::tuned(settings, *data, valid, call, report));
  });
}

int thresh_diagnose(const thresh_settings* settings, const thresh_data* data, thresh_call* call,
                    char** report) {
  return thresh::capi::guarded(
      [&] { thresh::capi::hand_over(thresh::capi::diagnosis(settings, *data, call), report); });
}
