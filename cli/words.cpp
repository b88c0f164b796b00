#include "words.hpp"

#include <fmt/format.h>

#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

// "TEXT:{a,b,c}" -> a, b, c
std::vector<std::string> members(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// The catalog refuses unknown solvers itself, since it can say which one was meant.
std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverInfo& solver : solvers()) names.push_back(solver.name);
  return names;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  words.argument = words.names.empty();
  if (words.argument) words.names.push_back(option.get_name());
  words.help = option.get_description();
  words.group = option.get_group();
  words.required = option.get_required();
  if (option.get_items_expected_max() == 0) return words;
  const std::string type = option.get_type_name();
  words.value = type.substr(0, type.find(':'));
  words.by_default = option.get_default_str();
  const bool solver = words.names.back() == "--solver" || words.names.back() == "--solvers";
  words.choices = solver ? solver_names() : members(type);
  return words;
}

CommandWords words_of(const CLI::App& app, std::vector<std::string> path) {
  CommandWords words;
  path.push_back(app.get_name());
  words.path = path;
  words.help = app.get_description();
  words.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) words.options.push_back(words_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) words.commands.push_back(words_of(*command, path));
  }
  return words;
}

}  // namespace

std::string CommandWords::name(const char* between) const {
  return fmt::format("{}", fmt::join(path, between));
}

CommandWords words_of(const CLI::App& app) {
  return words_of(app, {});
}

}  // namespace thresh::cli
