#include "train_options.hpp"

#include <fmt/format.h>

#include <vector>

#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

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
      if (option.kind == OptionInfo::Kind::file) added->type_name(kFile);
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
  command.add_option("--from,-i", c.from, "Start from this model")
      ->type_name(kFile)
      ->group("Learning");
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
  command
      .add_option("--feature-labels", c.options.feature_labels_file,
                  "With --non-negative: the class that each feature speaks for, one a line")
      ->type_name(kFile);
  command.add_option("--weights", c.options.weights_file, "Example weights, one a line")
      ->type_name(kFile);
  command.add_option("--class-weight", c.class_weight, "balanced: both classes count the same")
      ->check(CLI::IsMember({"none", "balanced"}));
  command
      .add_option(
          "--scale", c.read.scale,
          "Divide features by their largest size (max) or root mean square (rms) while "
          "learning, or not at all (none); auto: budget brings those of tables to one scale, "
          "other solvers do nothing. The model is for rows as they are")
      ->check(CLI::IsMember({"auto", "none", "max", "rms"}))
      ->capture_default_str();
  auto* holdout =
      command.add_option("--holdout", c.holdout, "Hold out this share of rows, e.g. 10%");
  command.add_option("--valid", c.valid, "Validate on this file")
      ->type_name(kFile)
      ->excludes(holdout);
  command.add_flag("--calibrate", c.options.calibrate,
                   "Learn probabilities on the held-out rows (Platt)");
  command.add_option("--names", c.names, "Feature names: line i names feature i")->type_name(kFile);
  command.add_option("--memory", c.options.memory, "Memory for rows kept between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("128MB");
  command.add_option("--trace", c.trace_file, "Write a trace as JSON lines")->type_name(kFile);
  command.add_option("--trace-at", c.trace_at, "When: passes, densities, or every N examples");
}

}  // namespace

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
