#include "train_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "checkpoint.hpp"
#include "ranks.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"

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
void add_own_options(CLI::App& command, std::map<std::string, std::string>& own) {
  std::set<std::string> added;
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) {
      if (!added.insert(option.name).second) continue;
      const auto set = [&own, name = option.name](const std::string& text) {
        if (!text.empty()) own[name] = text;
      };
      const std::string name = "--" + option.name;
      const std::string help = help_of(option.name);
      CLI::Option* const made = option.kind == OptionInfo::Kind::flag
                                    ? command.add_flag_callback(
                                          name, [set] { set("true"); }, help)
                                    : command.add_option_function<std::string>(name, set, help);
      if (option.kind == OptionInfo::Kind::file) made->type_name(kFile);
      made->group("Options of single solvers");
    }
  }
}

CLI::Option* add_by_kind(CLI::App& command, TrainCommand& c, const OptionInfo& option) {
  using Kind = OptionInfo::Kind;
  const auto set = [&c, name = option.name](const std::string& text) {
    set_shared_option(c.options, name, text);
  };
  const std::string names = "--" + option.name + (option.alias.empty() ? "" : ",--" + option.alias);
  if (option.kind == Kind::flag) {
    return command.add_flag_function(
        option.default_value == "true" ? "!--no-" + option.name : names,
        [set](std::int64_t times) { set(times > 0 ? "true" : "false"); }, option.help);
  }
  if (option.kind == Kind::number) {
    return command.add_option_function<double>(
        names,  // what is not finite is out of every range
        [set](double value) {
          constexpr double kOutside = std::numeric_limits<double>::lowest();
          set(fmt::format("{}", std::isfinite(value) ? value : kOutside));
        },
        option.help);
  }
  if (option.kind == Kind::list) {  // of features, whose numbers depend on the data
    return command.add_option(names, c.keep, option.help)->delimiter(',')->allow_extra_args(false);
  }
  CLI::Option* const added = command.add_option_function<std::string>(
      names,
      [set, is_word = option.kind == Kind::word](const std::string& text) {
        if (is_word || !text.empty()) set(text);
      },
      option.help);
  if (option.kind == Kind::count) added->type_name("UINT")->check(whole_number());
  if (option.kind == Kind::bytes) added->type_name("UINT")->transform(CLI::AsSizeValue(false));
  if (option.kind == Kind::file) added->type_name(kFile);
  return added;
}

void add_shared_option(CLI::App& command, TrainCommand& c, const OptionInfo& option) {
  CLI::Option* const added = add_by_kind(command, c, option)->group(option.group);
  if (!option.words.empty()) added->check(CLI::IsMember(option.words));
  if (option.kind != OptionInfo::Kind::flag) added->default_str(option.default_value);
}

// Options that are none of a run, where help lists them: behind one that is.
void add_neighbours(CLI::App& command, TrainCommand& c, const std::string& name) {
  const auto file = [&](const char* option, std::string& path, const char* help) {
    return command.add_option(option, path, help)->type_name(kFile);
  };
  if (name == "compensated") {
    file("--from,-i", c.from,
         "Start from the weights of this model; or go on from this state, see --save-state")
        ->group("Learning");
    add_own_options(command, c.options.solver_options);
  } else if (name == "class-weight") {
    command
        .add_option(
            "--scale", c.read.scale,
            "During training, divide each feature by its largest absolute value (max), its root "
            "mean square (rms) or its standard deviation (standard, also centres; for l1, cd and "
            "path on tables), or not at all (none); auto: the solver budget scales the features of "
            "tables, other solvers scale nothing. The saved model applies to unscaled rows")
        ->check(CLI::IsMember({"auto", "none", "max", "rms", "standard"}))
        ->capture_default_str();
    command
        .add_option("--interactions", c.read.options.interactions,
                    "Add products of features: A:B, A:* or *:* (all). A is a column, a namespace "
                    "or a feature, in libsvm text a number; A:A has squares, too")
        ->delimiter(',')
        ->allow_extra_args(false);
  } else if (name == "holdout") {
    file("--valid", c.valid, "Validate on this file")->excludes("--holdout");
  } else if (name == "calibrate") {
    file("--names", c.names, "Feature names: line i names feature i");
  } else if (name == "memory") {
    file("--trace", c.trace_file, "Write a trace as JSON lines");
    add_choice(command, "--on-stop", c.on_stop, {"keep", "discard"},
               "On Ctrl-C, SIGTERM or SIGHUP: keep the model so far, or discard it");
    command
        .add_option("--spare", c.spare,
                    "If the model cannot be written, save it in this folder; default: $TMPDIR or "
                    "/tmp")
        ->type_name(kFolder);
  }
}

// Whether features have names in the data.
bool has_names(const TrainCommand& c) {
  return format_of(c.data, finish(c.read).format) != Format::libsvm;
}

// A feature's number, counted from `first`, that the text is.
std::optional<std::uint64_t> feature_in(const std::string& text, std::uint64_t first) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-' || number < first) return std::nullopt;
  return number;
}

// The numbers of features. What is no name may still be a number.
std::vector<std::uint64_t> numbers_of(const TrainCommand& c,
                                      const std::vector<std::string>& texts) {
  const std::uint64_t first = c.read.options.zero_based ? 0 : 1;
  std::vector<std::uint64_t> features;
  std::vector<std::optional<std::uint64_t>> lines(texts.size());
  if (!c.names.empty()) lines = find_names(c.names, texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const auto number = lines[i] ? *lines[i] + first : feature_in(text, first);
    if (!number && !c.names.empty()) throw Error(fmt::format("{}: no feature {}", c.names, text));
    if (!number) {
      throw UsageError(
          fmt::format("--keep {}: not a feature number; to use names, give --names FILE", text));
    }
    features.push_back(*number);
  }
  return features;
}

// By name or number; products a*b are texts.
void set_kept(const TrainCommand& c, Options& options) {
  if (has_names(c)) {
    options.keep_names = c.keep;
    return;
  }
  const auto is_product = [](const std::string& text) { return text.find('*') != text.npos; };
  const bool products =
      !c.read.options.interactions.empty() && std::ranges::any_of(c.keep, is_product);
  if (!products) {
    options.keep = numbers_of(c, c.keep);
    return;
  }
  for (const std::string& text : c.keep) {
    std::vector<std::string> factors = {text};
    if (const std::size_t star = text.find('*'); star != text.npos) {
      factors = {text.substr(0, star), text.substr(star + 1)};
    }
    options.keep_names.push_back(fmt::format("{}", fmt::join(numbers_of(c, factors), "*")));
  }
}

// The rules of --signs, with numbers instead of the names that --names gives.
std::vector<std::string> signs_by_number(const TrainCommand& c, std::vector<std::string> rules) {
  if (has_names(c) || c.names.empty()) return rules;
  std::vector<std::string> names;
  for (const std::string& rule : rules) names.push_back(rule.substr(1));
  const auto lines = find_names(c.names, names);
  const std::uint64_t first = c.read.options.zero_based ? 0 : 1;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (lines[i]) rules[i] = fmt::format("{}{}", rules[i][0], *lines[i] + first);
  }
  return rules;
}

}  // namespace

void add_train_options(CLI::App& command, TrainCommand& c) {
  c.given = [&command](const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);  // it may have been dropped
    return option != nullptr && option->count() > 0;
  };
  c.options.solver = "budget";
  for (const OptionInfo& option : shared_options()) {
    add_shared_option(command, c, option);
    add_neighbours(command, c, option.name);
  }
  command.get_option("--steps")->excludes("--passes");
  add_checkpoint_options(command, c);
  add_read_flags(command, c.read);
  add_output_flags(command, c.out);
}

void refuse_two_lambdas(const TrainCommand& c, const std::vector<std::string>& over) {
  const auto has = [&](const char* name) {
    return std::find(over.begin(), over.end(), name) != over.end();
  };
  const bool plain = c.given("--lambda") || has("lambda") || has("l1");
  const bool share = c.given("--lambda-ratio") || has("lambda-ratio");
  if (plain && share) throw UsageError("--lambda and --lambda-ratio exclude each other");
}

Options training_options(const TrainCommand& c) {
  refuse_two_lambdas(c);
  Options options = c.options;
  options.signs = signs_by_number(c, options.signs);
  const SolverInfo& info = solver_named(options.solver);
  for (const std::string& name : info.unused) {
    const bool chosen = name == "eta" && options.auto_eta && !info.auto_eta.empty();
    if (c.given("--" + name) && !chosen) {
      throw UsageError(fmt::format("--{} does not apply to {}{}", name, info.name,
                                   c.given("--solver") ? "" : "; choose another --solver"));
    }
  }
  if (!c.given("--passes") && !c.state) options.passes = info.passes;
  if (c.given("--passes") && options.passes == 0) throw UsageError("--passes must be at least 1");
  if (!options.positive_name.empty() && !options.positive && !has_names(c)) {
    throw UsageError(
        fmt::format("--positive {}: not a number, but labels of libsvm text are numbers",
                    options.positive_name));
  }
  options.dim = c.read.options.dim;
  if (!c.trace_file.empty() && !options.trace) options.trace = TraceAt{};
  check_text_flags(c.read.text, format_of(c.data, finish(c.read).format),
                   !c.read.options.table.texts.empty());
  set_kept(c, options);
  options.stop = &stop_requested;
  options.ranks = ranks.get();
  return options;
}

Options finish_options(const TrainCommand& c) {
  Options options = training_options(c);
  check_options(options);
  return options;
}

std::vector<NamedFile> inputs_of(const TrainCommand& c) {
  std::vector<NamedFile> inputs = {{"training data", c.data},
                                   {"validation data", c.valid},
                                   {"names", c.names},
                                   {"weights", c.options.weights_file},
                                   {"feature labels", c.options.feature_labels_file},
                                   {"stop words", c.read.text.stop_words}};
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) {
      const auto given = c.options.solver_options.find(option.name);
      const bool file =
          option.kind == OptionInfo::Kind::file && given != c.options.solver_options.end();
      if (file) inputs.push_back({option.name, given->second});
    }
  }
  return inputs;
}

std::string model_path(const TrainCommand& c) {
  const std::string by_default =
      c.data == "-" ? "stdin.thresh"
                    : std::filesystem::path(c.data).filename().string() + ".thresh";
  std::string path = c.output.empty() ? by_default : c.output;
  check_outputs({{"model", path}, {"trace", c.trace_file}}, inputs_of(c));
  check_outputs({{"trace", c.trace_file}}, {{"model to start from", c.from}});
  check_writable(path);
  return path;
}

void check_names(const TrainCommand& c, const Problem& problem) {
  if (c.names.empty()) return;
  if (problem.vocabulary)
    throw UsageError("--names applies only to libsvm text; these data already have names");
  const std::uint64_t names = count_names(c.names);
  const Survey* survey = problem.train->survey();
  if (survey == nullptr) return;
  const std::uint64_t features = problem.pairs ? problem.own_features : survey->dimension;
  if (names < features) {
    throw Error(fmt::format("{}: {} names for {} features", c.names, names, features));
  }
}

// The last column of a table may be anything. Many numbers are hardly classes.
void check_label(const TrainCommand& c, const Problem& problem) {
  const Survey* const survey = problem.train->survey();
  if (problem.label_guessed.empty() || survey == nullptr || c.given("--task")) return;
  constexpr std::size_t kMostClasses = 20;
  const bool many = survey->more_labels || survey->labels.size() > kMostClasses;
  if (!many || !survey->label_names.empty()) return;
  throw Error(fmt::format(
      "{}: the last column, {}, has {}{} different numbers; choose the label with --label COLUMN, "
      "or say what it is: --task regression, or --task classification",
      problem.train->name(), problem.label_guessed, survey->more_labels ? "more than " : "",
      survey->labels.size()));
}

void tell_reading(const TrainCommand& c, const Problem& problem) {
  if (!c.out.quiet) tell_lines(problem.train->name(), problem.note);
  check_label(c, problem);
}

}  // namespace thresh::cli
