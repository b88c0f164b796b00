#include "train_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "data/number.hpp"
#include "data/vocabulary.hpp"
#include "model/names.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

TraceAt parse_trace_at(const std::string& text) {
  if (text == "passes" || text.empty()) return {TraceAt::Kind::passes};
  if (text == "densities") return {TraceAt::Kind::densities};
  char* end = nullptr;
  const unsigned long long every = std::strtoull(text.c_str(), &end, 10);
  if (*end != '\0' || every == 0 || text[0] == '-') {
    throw UsageError(fmt::format("--trace-at {}: use passes, densities or a number", text));
  }
  return {TraceAt::Kind::examples, every};
}

// What an option means, and to whom: the same to all solvers that have it, or not.
std::string help_of(const std::string& option) {
  std::map<std::string, std::vector<std::string>> owners;
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& own : solver.options) {
      if (own.name == option) owners[own.help].push_back(solver.name);
    }
  }
  std::string text;
  for (const auto& [help, names] : owners) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", help, fmt::join(names, ", "));
  }
  return text;
}

// The options that solvers have for themselves. Several may share one; each has its own default.
void add_own_options(CLI::App& command, TrainCommand& c) {
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) {
      if (c.own.contains(option.name)) continue;
      std::string& value = c.own[option.name];
      const std::string name = "--" + option.name;
      const std::string help = help_of(option.name);
      CLI::Option* added = option.kind == OptionInfo::Kind::flag
                               ? command.add_flag_callback(
                                     name, [&value] { value = "true"; }, help)
                               : command.add_option(name, value, help);
      added->group("Options of single solvers");
    }
  }
}

void add_learning_options(CLI::App& command, TrainCommand& c) {
  c.options.solver = "budget";
  command.add_option("--solver", c.options.solver, "The algorithm, see `thresh solvers`")
      ->capture_default_str()
      ->group("Learning");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->capture_default_str()->group("Learning");
  };
  command.add_option("--eta", c.eta, "Step size: a number, or auto where the solver can choose")
      ->capture_default_str()
      ->group("Learning");
  command.add_option("--loss", c.loss, "logistic, squared, hinge or squared-hinge")
      ->check(CLI::IsMember({"logistic", "squared", "hinge", "squared-hinge"}))
      ->group("Learning");
  number("--lambda,--l1", c.options.lambda, "Soft threshold, the strength of the l1 penalty");
  command.add_option("--schedule", c.schedule, "Step sizes over time: constant, sqrt, inverse")
      ->check(CLI::IsMember({"constant", "sqrt", "inverse"}))
      ->group("Learning");
  command.add_option("--features", c.options.features, "At most this many non-zero weights")
      ->check(whole_number())
      ->group("Learning");
  command.add_option("--density", c.density, "The same as a share of all features, e.g. 5%")
      ->group("Learning");
  command
      .add_flag("--shared-budget", c.options.shared_budget,
                "More than two classes: the budget counts the weights of all, not of each")
      ->group("Learning");
  command.add_option("--keep", c.keep, "Features that must stay: A,B,C by number, or name")
      ->delimiter(',')
      ->group("Learning");
  auto* passes = command
                     .add_option("--passes", c.passes,
                                 "Passes over the rows; default: 10; budget: 20, for few rows more")
                     ->check(whole_number())
                     ->group("Learning");
  command
      .add_option("--steps", c.options.steps,
                  "Rows, batches or coordinates to learn from, instead of --passes")
      ->check(whole_number())
      ->excludes(passes)
      ->group("Learning");
  command.add_option("--order", c.order, "Order of the rows: shuffle or sequential")
      ->check(CLI::IsMember({"shuffle", "sequential"}))
      ->capture_default_str()
      ->group("Learning");
  command.add_option("--seed", c.options.seed, "Decides everything random")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Learning");
  command.add_flag("!--no-intercept", c.options.intercept, "Learn no intercept")->group("Learning");
  command
      .add_option("--on-divergence", c.on_divergence,
                  "recover: go back and on with half the step; stop; continue while all is finite")
      ->check(CLI::IsMember({"recover", "stop", "continue"}))
      ->capture_default_str()
      ->group("Learning");
  command
      .add_flag("--compensated", c.options.compensated,
                "Sum margins and gradients with twice the digits")
      ->group("Learning");
  command.add_option("--from,-i", c.from, "Start from this model")->group("Learning");
  add_own_options(command, c);
}

void add_row_options(CLI::App& command, TrainCommand& c) {
  command.add_option("--task", c.task, "classification or regression")
      ->check(CLI::IsMember({"classification", "regression"}))
      ->capture_default_str();
  command.add_option("--positive", c.positive,
                     "The label that is +1; default: the larger, of words the last");
  command
      .add_option("--multiclass", c.multiclass,
                  "More than two classes: ovr (each against the rest) or softmax")
      ->check(CLI::IsMember({"ovr", "softmax"}))
      ->capture_default_str();
  command.add_option("--feature-labels", c.options.feature_labels_file,
                     "With --non-negative: the class that each feature speaks for, one a line");
  command.add_option("--weights", c.options.weights_file, "Example weights, one a line");
  command.add_option("--class-weight", c.class_weight, "balanced: both classes count the same")
      ->check(CLI::IsMember({"none", "balanced"}));
  command
      .add_option("--scale", c.read.scale,
                  "Divide features by their largest size (max) or root mean square (rms) while "
                  "learning; the model is for rows as they are")
      ->check(CLI::IsMember({"none", "max", "rms"}))
      ->capture_default_str();
  auto* holdout =
      command.add_option("--holdout", c.holdout, "Hold out this share of rows, e.g. 10%");
  command.add_option("--valid", c.valid, "Validate on this file")->excludes(holdout);
  command.add_flag("--calibrate", c.options.calibrate,
                   "Learn probabilities on the held-out rows (Platt)");
  command.add_option("--names", c.names, "Feature names: line i names feature i");
  command.add_option("--memory", c.options.memory, "Memory for rows kept between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("128MB");
  command.add_option("--trace", c.trace_file, "Write a trace as JSON lines");
  command.add_option("--trace-at", c.trace_at, "When: passes, densities, or every N examples");
}

// Whether features have names in the data.
bool has_names(const TrainCommand& c) {
  return format_of(c.data, finish(c.read).format) != Format::libsvm;
}

std::vector<std::uint64_t> kept_features(const TrainCommand& c) {
  const std::uint64_t first = c.read.options.zero_based ? 0 : 1;
  std::vector<std::uint64_t> features;
  if (has_names(c)) return features;
  if (!c.names.empty()) {
    for (const std::uint64_t line : find_names(c.names, c.keep)) features.push_back(line + first);
    return features;
  }
  for (const std::string& text : c.keep) {
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || text[0] == '-' || number < first) {
      throw UsageError(fmt::format("--keep {}: not a feature's number; names need --names", text));
    }
    features.push_back(number);
  }
  return features;
}

// Labels may be numbers or words; which they are, the data will show.
std::optional<double> number_in(const std::string& text) {
  const char* p = text.c_str();
  double value = 0;
  if (!parse_number(p, p + text.size(), value) || *p != '\0' || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

Options read_options(const TrainCommand& c) {
  Options options = c.options;
  const SolverInfo& info = find_solver(options.solver).info;
  for (const std::string& name : info.unused) {
    const bool chosen = name == "eta" && c.eta == "auto" && !info.auto_eta.empty();
    if (c.given("--" + name) && !chosen) {
      throw UsageError(fmt::format("--{} means nothing to {}{}", name, info.name,
                                   c.given("--solver") ? "" : ": name another --solver"));
    }
  }
  if (c.passes && *c.passes == 0) throw UsageError("--passes must be at least 1");
  options.passes = c.passes.value_or(info.least_pass > 0 ? 0 : info.passes);
  options.auto_eta = c.eta == "auto";
  if (!options.auto_eta && c.given("--eta")) options.eta = parse_real("--eta", c.eta);
  for (const OnDivergence what :
       {OnDivergence::recover, OnDivergence::stop, OnDivergence::proceed}) {
    if (c.on_divergence == name_of(what)) options.on_divergence = what;
  }
  options.order = c.order == "shuffle" ? Order::shuffle : Order::sequential;
  if (c.schedule == "constant") options.schedule = Schedule::constant;
  if (c.schedule == "sqrt") options.schedule = Schedule::sqrt;
  if (c.schedule == "inverse") options.schedule = Schedule::inverse;
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    if (c.loss == name_of(loss)) options.loss = loss;
  }
  options.task = c.task == "regression" ? Task::regression : Task::classification;
  if (c.multiclass == "softmax") options.multiclass = Multiclass::softmax;
  options.positive_name = c.positive;
  options.positive = number_in(c.positive);
  if (!c.positive.empty() && !options.positive && !has_names(c)) {
    throw UsageError(fmt::format("--positive {}: labels of libsvm text are numbers", c.positive));
  }
  options.balanced_classes = c.class_weight == "balanced";
  options.dim = c.read.options.dim;
  if (!c.density.empty()) options.density = parse_percent("--density", c.density);
  if (!c.holdout.empty()) options.holdout = parse_percent("--holdout", c.holdout);
  if (!c.trace_file.empty() || !c.trace_at.empty()) options.trace = parse_trace_at(c.trace_at);
  for (const auto& [name, value] : c.own) {
    if (!value.empty()) options.own[name] = value;
  }
  if (const std::string name = given(c.read.text);
      !name.empty() && format_of(c.data, finish(c.read).format) != Format::text) {
    throw UsageError(name + " is for --format text");
  }
  options.keep = kept_features(c);
  if (has_names(c)) options.keep_names = c.keep;
  options.stop = &stop_requested;
  return options;
}

Options finish_options(const TrainCommand& c) {
  const Options options = read_options(c);
  check_options(options);
  return options;
}

std::vector<NamedFile> inputs_of(const TrainCommand& c) {
  const auto penalties = c.own.find("penalties");
  return {{"training data", c.data},
          {"validation data", c.valid},
          {"names", c.names},
          {"weights", c.options.weights_file},
          {"feature labels", c.options.feature_labels_file},
          {"penalties", penalties == c.own.end() ? "" : penalties->second},
          {"stop words", c.read.text.stop_words}};
}

std::string model_path(const TrainCommand& c) {
  const std::string by_default =
      c.data == "-" ? "stdin.thresh"
                    : std::filesystem::path(c.data).filename().string() + ".thresh";
  std::string path = c.output.empty() ? by_default : c.output;
  check_outputs({{"model", path}, {"trace", c.trace_file}}, inputs_of(c));
  check_outputs({{"trace", c.trace_file}}, {{"model to start from", c.from}});
  return path;
}

void check_names(const TrainCommand& c, const Problem& problem) {
  if (c.names.empty()) return;
  if (problem.vocabulary) throw UsageError("--names is for libsvm text: these data have names");
  const std::uint64_t names = count_names(c.names);
  const Survey* survey = problem.train->survey();
  if (survey != nullptr && names < survey->dimension) {
    throw Error(fmt::format("{}: {} names for {} features", c.names, names, survey->dimension));
  }
}

void tell_reading(const TrainCommand& c, const Problem& problem) {
  if (c.out.quiet || !problem.vocabulary || problem.vocabulary->note.empty()) return;
  fmt::print(stderr, "{}\n", problem.vocabulary->note);
}

void add_train_options(CLI::App& command, TrainCommand& c) {
  c.given = [&command](const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);  // it may have been dropped
    return option != nullptr && option->count() > 0;
  };
  add_learning_options(command, c);
  add_row_options(command, c);
  add_read_flags(command, c.read);
  add_output_flags(command, c.out);
}

}  // namespace thresh::cli
