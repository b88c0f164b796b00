#include "train_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
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
    return command.add_option(names, c.keep, option.help)->delimiter(',');
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
    file("--from,-i", c.from, "Start from this model")->group("Learning");
    add_own_options(command, c.options.solver_options);
  } else if (name == "class-weight") {
    command
        .add_option(
            "--scale", c.read.scale,
            "Divide features by their largest size (max) or root mean square (rms) while "
            "learning, or not at all (none); auto: budget brings those of tables to one scale, "
            "other solvers do nothing. The model is for rows as they are")
        ->check(CLI::IsMember({"auto", "none", "max", "rms"}))
        ->capture_default_str();
  } else if (name == "holdout") {
    file("--valid", c.valid, "Validate on this file")->excludes("--holdout");
  } else if (name == "calibrate") {
    file("--names", c.names, "Feature names: line i names feature i");
  } else if (name == "memory") {
    file("--trace", c.trace_file, "Write a trace as JSON lines");
  }
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
  add_read_flags(command, c.read);
  add_output_flags(command, c.out);
}

}  // namespace thresh::cli
