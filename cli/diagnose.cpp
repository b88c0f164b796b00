// thresh diagnose DATA [MODEL]: what the numbers in data and model will do to a learner, or what
// they did, by the trace of a run.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "certify/certificate.hpp"
#include "certify/theorems.hpp"
#include "common.hpp"
#include "data/feed/labels.hpp"
#include "data/read/sources.hpp"
#include "diagnose/findings.hpp"
#include "progress.hpp"
#include "select.hpp"
#include "thresh/error.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

constexpr double kDelta = 0.05;

struct DiagnoseCommand {
  std::string data, model, trace, weights, test, gamma = "auto", task = "classification";
  std::optional<double> delta;
  std::vector<std::string> only;
  bool grades = false;
  std::uint64_t features = 0, steps = 10;
  std::uint64_t memory = std::uint64_t{1} << 30;
  ReadFlags read;
  OutputFlags out;

  bool wants(const std::string& section) const {
    return only.empty() || std::find(only.begin(), only.end(), section) != only.end();
  }
  bool wants_theorems() const { return !model.empty() && wants("theorems"); }
};

// A pass over the rows that says what it is for if it takes long.
class Phase {
 public:
  Phase(const std::string& what, const DiagnoseCommand& c) : meter_(what, c.out.quiet) {
    watch_.on_bytes = [this](std::uint64_t bytes) { meter_.add(bytes); };
    watch_.stop = &stop_requested;
  }
  const Watch& watch() const { return watch_; }

 private:
  ReadMeter meter_;
  Watch watch_;
};

std::optional<double> gamma_of(const DiagnoseCommand& c) {
  if (c.gamma == "auto") return std::nullopt;
  const double gamma = parse_real("--gamma", c.gamma);
  if (!(gamma > 0)) throw UsageError("--gamma must be above 0");
  return gamma;
}

std::shared_ptr<RowSource> open(const DiagnoseCommand& c, const Model* model,
                                const std::shared_ptr<FeatureMap>& features) {
  ReadMeter meter("reading " + c.data, c.out.quiet);
  ReadOptions read = model != nullptr ? finish(c.read, *model) : finish(c.read);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto source = open_rows(c.data, read, features);
  if (source->survey()->rows == 0) throw Error(source->name() + ": no rows");
  return std::make_shared<RetainingSource>(source, c.memory);
}

Section grades_section(const DiagnoseCommand& c, RowSource& source, const Overview& overview) {
  const LabelMap labels = c.task == "regression"
                              ? LabelMap::regression()
                              : LabelMap::from_survey(*source.survey(), std::nullopt);
  if (!labels.many().empty()) {
    throw Error(source.name() + ": GraDes needs two classes (or --task regression)");
  }
  const Phase phase("following GraDes:", c);
  const GradesOptions options{c.features, gamma_of(c), c.steps};
  return grades_findings(run_grades(source, overview, labels, options, phase.watch()), c.features);
}

std::optional<double> test_error(const DiagnoseCommand& c, const Model& model) {
  if (c.test.empty()) return std::nullopt;
  const Predictor predictor(model);
  ReadMeter meter("evaluating " + c.test, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto metrics =
      evaluate(model, predictor, open_rows(c.test, read, predictor.features()), "");
  if (const auto* two_classes = std::get_if<ClassificationMetrics>(&metrics)) {
    return two_classes->error;
  }
  return std::nullopt;
}

// The rows of formats whose features have names are read once more for the theorems.
void check_rows_can_be_read_again(const DiagnoseCommand& c, const Model& model) {
  if (c.data == "-" && c.wants_theorems() && model.format != Format::libsvm) {
    throw UsageError(
        "theorems need the rows twice, which a pipe cannot give: leave them out "
        "(--only data,labels,exponents,spectral)");
  }
}

// `source` has all features that the training had, unless features have names: those that the model
// does not know are left out then, and the rows must be read once more.
Section theorem_section(const DiagnoseCommand& c, const Model& model,
                        std::shared_ptr<RowSource> source, std::shared_ptr<FeatureMap> features) {
  if (model.format != Format::libsvm) {
    const Problem problem = open_problem(c.data, "", finish_as_for_training(c.read, model));
    source = std::make_shared<RetainingSource>(problem.train, c.memory);
    features = problem.features;
  }
  const std::optional<double> error = test_error(c, model);
  ReadMeter meter("repeating the training:", c.out.quiet);
  return theorem_findings(
      {model, metered(source, meter), features, c.weights, c.delta.value_or(kDelta), error});
}

std::vector<Section> sections_of_data(const DiagnoseCommand& c) {
  std::optional<Model> model;
  if (!c.model.empty()) model = Model::load(c.model);
  if (model) check_rows_can_be_read_again(c, *model);
  const Model* const given = model ? &*model : nullptr;
  const auto features = make_feature_map(c.read.options.dim);
  const auto source = open(c, given, features);
  const Overview overview = look_at(*source, Phase("looking at rows and columns:", c).watch());

  std::vector<Section> found;
  if (c.wants("data")) found.push_back(data_findings(*source->survey(), overview));
  if (c.wants("labels")) {
    const Phase phase("drawing rows:", c);
    SelectMeter meter("judging labels", c.out.quiet);
    const LabelNoise noise =
        estimate_label_noise(*source, *features, overview, meter, phase.watch());
    found.push_back(label_findings(noise, overview.rows));
  }
  if (c.wants("exponents")) {
    const Phase phase("looking at exponents:", c);
    const ValueLook look =
        look_at_values(*source, given, *features, overview.largest, phase.watch());
    found.push_back(exponent_findings(look, given));
  }
  if (c.wants("spectral")) {
    const Phase phase("finding eigenvalues:", c);
    const SpectralLook look = look_at_spectrum(*source, overview, gamma_of(c), phase.watch());
    found.push_back(spectral_findings(look, overview.rows));
  }
  if (c.grades) found.push_back(grades_section(c, *source, overview));
  if (c.wants_theorems()) found.push_back(theorem_section(c, *model, source, features));
  return found;
}

void check_theorem_options(const DiagnoseCommand& c) {
  if (c.model.empty() && !c.only.empty() && c.wants("theorems")) {
    throw UsageError("--only theorems needs a MODEL, whose training they are about");
  }
  if (c.delta && !(*c.delta > 0 && *c.delta < 1)) {
    throw UsageError("--delta must be between 0 and 1");
  }
  if (c.wants_theorems()) return;
  const std::pair<const char*, bool> given[] = {
      {"--weights", !c.weights.empty()}, {"--test", !c.test.empty()}, {"--delta", !!c.delta}};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      throw UsageError(fmt::format("{} is for theorems, which {}", name,
                                   c.model.empty() ? "need a MODEL" : "--only leaves out"));
    }
  }
}

void check_data(const DiagnoseCommand& c) {
  if (!c.data.empty()) return;
  if (c.trace.empty()) throw UsageError("data is required, or --trace FILE");
  if (!c.only.empty() || c.grades) {
    throw UsageError(fmt::format("{} needs data", c.grades ? "--grades" : "--only"));
  }
}

void diagnose(const DiagnoseCommand& c) {
  check_data(c);
  if (c.grades && c.features == 0) throw UsageError("--grades needs --features K, above 0");
  gamma_of(c);  // refused before any reading
  check_theorem_options(c);
  std::vector<Section> found;
  if (!c.trace.empty()) found.push_back(trace_findings(c.trace));  // a bad file is soon found out
  if (!c.data.empty()) {
    for (Section& section : sections_of_data(c)) found.push_back(std::move(section));
  }
  if (c.out.json) return print_json(to_json(found));
  if (!c.out.quiet) print(to_text(found));
}

}  // namespace

void add_diagnose(CLI::App& app) {
  auto c = std::make_shared<DiagnoseCommand>();
  CLI::App& command =
      *app.add_subcommand("diagnose", "Say what is odd about data, model and step sizes");
  command.add_option("data", c->data, "Rows (see --format); - for stdin; not needed with --trace")
      ->type_name(kFile);
  command
      .add_option(
          "model", c->model,
          "A model learned from these rows: its weights' exponents are looked at too, and what "
          "theorems say of its training")
      ->type_name(kFile);
  command
      .add_option("--only", c->only,
                  "Only these parts: data, labels, exponents, spectral, theorems")
      ->delimiter(',')
      ->check(CLI::IsMember({"data", "labels", "exponents", "spectral", "theorems"}));
  command
      .add_option("--trace", c->trace,
                  "What became of the weights' exponents, by this trace of a run")
      ->type_name(kFile);
  command.add_option("--weights", c->weights, "The example weights that MODEL was trained with")
      ->type_name(kFile);
  command.add_option("--test", c->test, "Rows on which MODEL's error is held against its bound")
      ->type_name(kFile);
  command.add_option("--delta", c->delta, "The error bound may fail with this probability")
      ->default_str(fmt::format("{}", kDelta));
  command
      .add_option("--gamma", c->gamma,
                  "Inverse step size whose spectral radius is wanted; auto: for that of a step "
                  "of 0.1 on the mean loss, and with --grades the largest eigenvalue")
      ->capture_default_str();
  CLI::Option* const grades = command.add_flag(
      "--grades", c->grades, "Follow GraDes: radius and potential after each iteration");
  command.add_option("--features", c->features, "How many weights GraDes keeps")
      ->check(whole_number())
      ->needs(grades);
  command.add_option("--steps", c->steps, "How many iterations of GraDes to follow")
      ->check(whole_number())
      ->needs(grades)
      ->capture_default_str();
  command.add_option("--task", c->task, "What GraDes takes labels for: classification, regression")
      ->check(CLI::IsMember({"classification", "regression"}))
      ->needs(grades)
      ->capture_default_str();
  command.add_option("--memory", c->memory, "Memory for rows kept between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false));
  add_read_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh diagnose news.svm.gz\n"
      "  thresh diagnose news.svm news.thresh --only exponents\n"
      "  thresh diagnose news.svm news.thresh --only theorems --test test.svm\n"
      "  thresh diagnose --trace news.jsonl\n"
      "  thresh diagnose news.svm --only spectral --grades --features 2000 --gamma 3 --json");
  command.callback([c] { diagnose(*c); });
}

}  // namespace thresh::cli
