// thresh_train(): `thresh train` as a function.

#include <fmt/format.h>

#include "capi/going_on.hpp"
#include "capi/problem.hpp"
#include "thresh/certificate.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::capi {
namespace {

class TrainWatch : public TrainObserver {
 public:
  explicit TrainWatch(thresh_call* call) : call_(call), run_(call) {}
  void on_sizes(const SelectObserver::Progress& progress) override {
    if (call_ != nullptr) call_->show({"choosing a size", progress.share, 0, 0, 0});
  }
  void on_choice(const SizeChoice& choice) override {
    if (call_ == nullptr) return;
    for (const std::string& warning : choice.warnings) call_->tell(warning);
  }
  Observer* last_run() override { return &run_; }

 private:
  thresh_call* call_;
  RunWatch run_;
};

Json to_json(const SizedResult& point) {
  Json json = Json::object();
  json["features"] = point.budget;
  json["nonzeros"] = point.last.at.nonzeros;
  json["valid_error"] = or_null(point.last.valid_error);
  json["valid_error_se"] = or_null(point.last.valid_error_se);
  json["valid_loss"] = or_null(point.last.valid_loss);
  for (const auto& [name, value] : point.settings) json["settings"][name] = value;
  return json;
}

Json to_json(const SizeChoice& choice) {
  Json json = Json::object();
  json["chosen"] = to_json(choice.chosen);
  json["best"] = to_json(choice.best);
  json["folds"] = choice.folds;
  json["repeats"] = choice.repeats;
  json["seconds"] = choice.seconds;
  json["curve"] = Json::array();
  for (const SizedResult& point : choice.curve) json["curve"].push_back(to_json(point));
  return json;
}

Json report_of(const Trained& trained, const Problem& problem) {
  Json json = Json::object();
  json["status"] = name_of(trained.status.outcome);
  json["reason"] = trained.status.reason;
  json["summary"] = trained.model.summary;
  json["options"] = trained.model.options;
  json["seconds"] = trained.last.at.seconds;
  json["bad_rows"] = trained.bad_rows;
  json["note"] = problem.note;
  json["warnings"] = trained.warnings;
  json["choice"] = trained.choice ? to_json(*trained.choice) : Json();
  json["trace"] = Json::array();
  for (const TracePoint& point : trained.trace) json["trace"].push_back(trace_record(point));
  if (trained.model.certificate) json["certificate"] = *trained.model.certificate;
  return json;
}

// The model to continue from knows names of features, and how rows were counted.
void continue_from(const Model& start, Parsed& settings) {
  if (start.format == Format::libsvm) return;
  settings.read.vocabulary = vocabulary_of(start);
  if (settings.read.hash_bits > 0 &&
      settings.read.hash_bits != start.reading.value("hash_bits", 0).count()) {
    throw UsageError(
        fmt::format("the model was not learned with --hash-bits {}", settings.read.hash_bits));
  }
}

void certify_model(const thresh_model* start, const Parsed& settings, const Problem& problem,
                   Trained& trained) {
  const bool has_proof = trained.dual_point && !trained.dual_point->proofs.empty();
  const bool stopped = trained.status.outcome == Outcome::stopped && !has_proof;
  if (stopped || !trained.divergences.empty()) {
    throw Error("no certificate: the run was interrupted or diverged");
  }
  TrainingFacts facts{trained.compression_sets, start != nullptr, settings.delta,
                      settings.options.weights_file, trained.dual_point};
  facts.on_warning = [&](const std::string& warning) { trained.warnings.push_back(warning); };
  if (trained.status.outcome != Outcome::stopped) facts.stop = settings.options.stop;
  trained.model.certificate = certify(trained.model, problem, facts);
}

Trained learn(const thresh_settings* settings, const thresh_data& data, const thresh_data* valid,
              const thresh_model* start, thresh_call* call, char** report) {
  Parsed how = parsed(settings, call, GoingOn::names());
  GoingOn going_on(settings, data, valid, start, how);
  if (how.certify) check_certifiable(how.options);
  how.options.certify = how.certify;
  if (start != nullptr) continue_from(start->model, how);
  const bool chooses = start == nullptr && solver_named(how.options.solver).many_sizes;
  const Problem problem = open(data, valid, how, !chooses);
  if (how.certify) check_certifiable(how.options, *problem.train);
  if (call != nullptr) call->tell(problem.note);
  Trained trained;
  if (start != nullptr) {
    check_options(how.options);
    RunWatch watch(call);
    trained = {fit(problem, how.options, &start->model, &watch), std::nullopt};
  } else {
    TrainWatch watch(call);
    trained = train(problem, how.options, &watch);
  }
  if (trained.status.outcome == Outcome::diverged) {
    throw Error(
        fmt::format("{}: training diverged: {}", problem.train->name(), trained.status.reason));
  }
  if (how.certify) certify_model(start, how, problem, trained);
  going_on.finish(trained);
  name_features(data, trained.model);
  hand_over(report_of(trained, problem), report);
  return trained;
}

Json to_json(const OptionInfo& option) {
  constexpr const char* kKinds[] = {"number", "flag",  "word", "file", "count",
                                    "share",  "bytes", "list", "text"};
  Json json = Json::object();
  json["name"] = option.name;
  json["kind"] = kKinds[static_cast<std::size_t>(option.kind)];
  json["default"] = option.default_value;
  json["help"] = option.help;
  json["words"] = option.words;
  json["alias"] = option.alias;
  json["group"] = option.group;
  return json;
}

Json to_json(const std::vector<OptionInfo>& options) {
  Json json = Json::array();
  for (const OptionInfo& option : options) json.push_back(to_json(option));
  return json;
}

}  // namespace
}  // namespace thresh::capi

int thresh_train(const thresh_settings* settings, const thresh_data* data, const thresh_data* valid,
                 const thresh_model* start, thresh_call* call, thresh_model** model,
                 char** report) {
  return thresh::capi::guarded([&] {
    *model =
        new thresh_model(thresh::capi::learn(settings, *data, valid, start, call, report).model);
  });
}

int thresh_describe(char** json) {
  return thresh::capi::guarded([&] {
    thresh::capi::Json all;
    all["version"] = thresh_version();
    all["options"] = thresh::capi::to_json(thresh::shared_options());
    all["reading"] = thresh::capi::to_json(thresh::capi::reading_options());
    for (const thresh::SolverInfo& info : thresh::solvers()) {
      thresh::capi::Json solver;
      solver["name"] = info.name;
      solver["paper"] = info.paper;
      solver["objective"] = info.objective;
      solver["needs"] = info.needs;
      solver["unused"] = info.unused;
      solver["options"] = thresh::capi::to_json(info.options);
      all["solvers"].push_back(std::move(solver));
    }
    thresh::capi::hand_over(all, json);
  });
}
