// A script for zsh that completes commands, options and the values that options have, and shows
// what each is for. Every command is a function that tells _arguments what may stand there.

#include <fmt/format.h>

#include "thresh/version.hpp"
#include "words.hpp"

namespace thresh::cli {
namespace {

// Text within single quotes, in which _arguments and _describe give a meaning to the others.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '\\' || c == ':' || c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

std::string function_name(const CommandWords& command) {
  return "_" + command.name("_");
}

// What completes a value; a number or a free word is only announced.
std::string action(const OptionWords& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  if (!option.is_file()) return " ";
  return option.value == kFolder ? "_files -/" : "_files";
}

// One specification a name; each rules out the others.
std::string specifications(const OptionWords& option) {
  if (option.argument) {
    return fmt::format("    ':{}:{}' \\\n", quoted(option.names[0]), action(option));
  }
  std::string text;
  for (const std::string& name : option.names) {
    const char* joined = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    text += fmt::format("    '({}){}{}[{}]", fmt::join(option.names, " "), name, joined,
                        quoted(option.help));
    if (!option.value.empty()) text += fmt::format(":{}:{}", quoted(option.value), action(option));
    text += "' \\\n";
  }
  return text;
}

std::string choice_of_commands(const CommandWords& command) {
  std::string list;
  for (const CommandWords& sub : command.commands) {
    list += fmt::format("        '{}:{}'\n", sub.path.back(), quoted(sub.help));
  }
  return fmt::format(
      R"(    ':command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands
      ;;
    argument)
      curcontext=${{curcontext%:*:*}}:{}-$line[1]:
      (( $+functions[{}_$line[1]] )) && {}_$line[1]
      ;;
  esac
)",
      list, command.name("-"), function_name(command), function_name(command));
}

std::string function(const CommandWords& command) {
  std::string text;
  for (const CommandWords& sub : command.commands) text += function(sub);
  text += fmt::format("{}() {{\n", function_name(command));
  const bool leaf = command.commands.empty();
  text += leaf ? "  _arguments \\\n"
               : "  local curcontext=$curcontext state line\n  _arguments -C \\\n";
  for (const OptionWords& option : command.options) text += specifications(option);
  text += leaf ? "    && return\n" : choice_of_commands(command);
  return text + "}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandWords& program) {
  return fmt::format(
      "#compdef thresh\n"
      "# Completion for zsh, written by thresh {} from its own options.\n\n"
      "{}{} \"$@\"\n",
      version(), function(program), function_name(program));
}

}  // namespace thresh::cli
