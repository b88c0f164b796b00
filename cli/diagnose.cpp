// thresh diagnose DATA [MODEL]: what the numbers in data and model will do to a learner, or what
// they did, by the trace of a run.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "select.hpp"
#include "thresh/diagnose.hpp"
#include "thresh/error.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

constexpr double kDelta = 0.05;

std::vector<std::string> loss_names() {
  for (const OptionInfo& option : shared_options()) {
    if (option.name == "loss") return option.words;
  }
  return {};
}

struct DiagnoseCommand {
  std::string data, model, trace, weights, test, gamma = "auto", task = "classification";
  std::optional<double> delta, lambda, epsilon;
  std::optional<std::string> loss;
  bool grades = false;
  DiagnoseOptions how;
  std::uint64_t memory = std::uint64_t{1} << 30;
  ReadFlags read;
  OutputFlags out;

  bool wants_theorems() const {
    const auto& only = how.only;
    return !model.empty() && (only.empty() || std::count(only.begin(), only.end(), "theorems") > 0);
  }
};

void check_runtime_options(const DiagnoseCommand& c) {
  const auto& only = c.how.only;
  const bool asked = std::count(only.begin(), only.end(), "runtimes") > 0;
  if (c.epsilon) {
    if (!(*c.epsilon > 0)) throw UsageError("--epsilon must be above 0");
    if (!only.empty() && !asked)
      throw UsageError("--epsilon applies to the part runtimes, which --only leaves out");
    if (c.lambda && !(*c.lambda >= 0)) throw UsageError("--lambda must not be negative");
    if (c.how.exact_optimum && c.loss == "hinge") {
      throw UsageError("--exact-optimum uses the solver l1, which does not support --loss hinge");
    }
    return;
  }
  if (asked) throw UsageError("--only runtimes needs --epsilon E");
}

// Says what rows are read for if it takes long.
class Phases : public DiagnoseObserver {
 public:
  explicit Phases(bool quiet) : quiet_(quiet) {}
  void on_phase(const std::string& what) override {
    labels_.emplace("judging labels", quiet_);
    rows_.emplace(what, quiet_);
  }
  void on_bytes(std::uint64_t bytes) override { rows_->add(bytes); }
  void on_progress(const Progress& progress) override { labels_->on_progress(progress); }
  void clear() {
    labels_.reset();
    rows_.reset();
  }

 private:
  bool quiet_;
  std::optional<SelectMeter> labels_;
  std::optional<ReadMeter> rows_;
};

std::optional<double> gamma_of(const DiagnoseCommand& c) {
  if (c.gamma == "auto") return std::nullopt;
  const double gamma = parse_real("--gamma", c.gamma);
  if (!(gamma > 0)) throw UsageError("--gamma must be above 0");
  return gamma;
}

Problem open(const DiagnoseCommand& c, const Model* model) {
  Problem rows;
  rows.features = make_feature_map(c.read.options.dim);
  ReadMeter meter("reading " + c.data, c.out.quiet);
  ReadOptions read = model != nullptr ? finish(c.read, *model) : finish(c.read);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  if (model == nullptr && format_of(c.data, read.format) != Format::libsvm) {
    read.vocabulary = rows.vocabulary = make_vocabulary(read.hash_bits);
  }
  rows.train = retained(open_rows(c.data, read, rows.features), c.memory);
  return rows;
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
        "theorems must read the rows twice, but a pipe can be read only once; leave them out "
        "(--only data,labels,exponents,spectral)");
  }
}

// `rows` have all features that the training had, unless features have names: those that the model
// does not know are left out then, and the rows must be read once more.
DiagnosisPart theorems(const DiagnoseCommand& c, const Model& model, Problem rows) {
  if (model.format != Format::libsvm) {
    rows = open_problem(c.data, "", finish_as_for_training(c.read, model));
    rows.train = retained(rows.train, c.memory);
  }
  const std::optional<double> error = test_error(c, model);
  ReadMeter meter("repeating the training:", c.out.quiet);
  rows.train = metered(rows.train, meter);
  return diagnose_theorems(model, rows, {c.weights, c.delta.value_or(kDelta), error});
}

std::vector<DiagnosisPart> parts_of_data(const DiagnoseCommand& c) {
  std::optional<Model> model;
  if (!c.model.empty()) model = Model::load(c.model);
  if (model && !model->interactions.empty()) {
    throw Error(
        fmt::format("{}: diagnose does not support models with --interactions; leave out "
                    "the model",
                    c.model));
  }
  if (model) check_rows_can_be_read_again(c, *model);
  Problem rows = open(c, model ? &*model : nullptr);
  Phases phases(c.out.quiet);
  DiagnoseOptions options = c.how;
  options.model = model ? &*model : nullptr;
  options.gamma = gamma_of(c);
  if (c.task == "regression") options.task = Task::regression;
  options.epsilon = c.epsilon.value_or(0);
  if (c.lambda) options.lambda = *c.lambda;
  if (c.loss) options.loss = *loss_named(*c.loss);
  if (c.delta) options.delta = *c.delta;
  options.stop = &stop_requested;
  options.observer = &phases;
  std::vector<DiagnosisPart> parts = diagnose(rows, options);
  phases.clear();
  if (c.wants_theorems()) parts.push_back(theorems(c, *model, rows));
  return parts;
}

void check_theorem_options(const DiagnoseCommand& c) {
  if (c.model.empty() && std::count(c.how.only.begin(), c.how.only.end(), "theorems") > 0) {
    throw UsageError("--only theorems needs a MODEL: the theorems are about its training");
  }
  if (c.delta && !(*c.delta > 0 && *c.delta < 1)) {
    throw UsageError("--delta must be between 0 and 1");
  }
  if (c.wants_theorems()) return;
  const std::pair<const char*, bool> given[] = {{"--weights", !c.weights.empty()},
                                                {"--test", !c.test.empty()},
                                                {"--delta", c.delta && !c.epsilon}};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      throw UsageError(fmt::format("{} applies to the part theorems, which {}", name,
                                   c.model.empty() ? "needs a MODEL" : "--only leaves out"));
    }
  }
}

void check_data(const DiagnoseCommand& c) {
  if (!c.data.empty()) return;
  if (c.trace.empty()) throw UsageError("data is required, or --trace FILE");
  if (!c.how.only.empty() || c.grades) {
    throw UsageError(fmt::format("{} needs data", c.grades ? "--grades" : "--only"));
  }
}

void run_diagnose(const DiagnoseCommand& c) {
  check_data(c);
  if (c.grades && c.how.grades_features == 0) {
    throw UsageError("--grades needs --features K, above 0");
  }
  gamma_of(c);  // refused before any reading
  check_runtime_options(c);
  check_theorem_options(c);
  std::vector<DiagnosisPart> parts;
  if (!c.trace.empty()) parts.push_back(diagnose_trace(c.trace));  // a bad file is soon found out
  if (!c.data.empty()) {
    for (DiagnosisPart& part : parts_of_data(c)) parts.push_back(std::move(part));
  }
  Json json;
  std::string text;
  for (const DiagnosisPart& part : parts) {
    json[part.name] = Json::parse(part.json);
    text += (text.empty() ? "" : "\n") + part.text;
  }
  print_result(c.out, json, text);
}

}  // namespace

void add_diagnose(CLI::App& app) {
  auto c = std::make_shared<DiagnoseCommand>();
  CLI::App& command =
      *app.add_subcommand("diagnose", "Find problems in the data, a model and step sizes");
  add_file(command, "data", c->data, "Rows (see --format); - for stdin; not needed with --trace");
  add_file(command, "model", c->model,
           "A model trained on these rows; adds the exponents of its weights and the theorems "
           "about its training");
  command
      .add_option("--only", c->how.only,
                  "Only these parts: data, labels, exponents, spectral, theorems, runtimes")
      ->delimiter(',')
      ->check(CLI::IsMember({"data", "labels", "exponents", "spectral", "theorems", "runtimes"}));
  add_file(command, "--trace", c->trace,
           "Show from this trace of a run how the exponents of the weights changed");
  add_file(command, "--weights", c->weights, "The example weights that MODEL was trained with");
  add_file(command, "--test", c->test, "Test rows, to compare MODEL's error with its bound");
  command
      .add_option("--delta", c->delta,
                  "Probability that the error bound, or the bound on several runs of scd, may fail")
      ->default_str(fmt::format("{}", kDelta));
  CLI::Option* const epsilon = command.add_option(
      "--epsilon", c->epsilon,
      "Report how many steps bring scd and smidas this close to the minimum of the objective (part "
      "runtimes)");
  command.add_option("--lambda", c->lambda, "l1 penalty of that objective")
      ->needs(epsilon)
      ->default_str("0.0001");
  command
      .add_option(
          "--loss", c->loss,
          "Loss of that objective: logistic, squared, hinge, squared-hinge; the theorems do "
          "not cover poisson, huber and quantile")
      ->check(CLI::IsMember(loss_names()))
      ->needs(epsilon)
      ->default_str("logistic");
  command
      .add_flag("--exact-optimum", c->how.exact_optimum,
                "Compute the minimum (solver l1) and use its norms, instead of the bound "
                "P(0)/lambda")
      ->needs(epsilon);
  command
      .add_option("--gamma", c->gamma,
                  "Inverse step size to report the spectral radius for; auto: that of a step of "
                  "0.1 on the mean loss, or with --grades the largest eigenvalue")
      ->capture_default_str();
  CLI::Option* const grades = command.add_flag(
      "--grades", c->grades, "Run GraDes and report radius and potential after each iteration");
  add_count(command, "--features", c->how.grades_features, "How many weights GraDes keeps")
      ->needs(grades);
  add_count(command, "--steps", c->how.grades_steps, "Number of GraDes iterations")
      ->needs(grades)
      ->capture_default_str();
  command.add_option("--task", c->task, "What labels are: classification or regression")
      ->check(CLI::IsMember({"classification", "regression"}))
      ->capture_default_str();
  command.add_option("--memory", c->memory, "Memory for holding rows between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false));
  add_read_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh diagnose news.svm.gz\n"
      "  thresh diagnose news.svm news.thresh --only exponents\n"
      "  thresh diagnose news.svm news.thresh --only theorems --test test.svm\n"
      "  thresh diagnose news.svm --only runtimes --epsilon 0.01 --lambda 1e-3 --exact-optimum\n"
      "  thresh diagnose --trace news.jsonl\n"
      "  thresh diagnose news.svm --only spectral --grades --features 2000 --gamma 3 --json");
  command.callback([c] { run_diagnose(*c); });
}

}  // namespace thresh::cli
