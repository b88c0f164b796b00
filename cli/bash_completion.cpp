// A script for bash that completes commands, options and the values that options have. Where a file
// may stand, and only there, it leaves the word to bash, which completes files by itself.

#include <fmt/format.h>

#include "thresh/version.hpp"
#include "words.hpp"

namespace thresh::cli {
namespace {

using Words = std::vector<std::string>;

// "generate corpus": the path without the program.
std::string key(const CommandWords& command) {
  return fmt::format("{}", fmt::join(command.path.begin() + 1, command.path.end(), " "));
}

// All commands there are, as patterns of "COMMAND WORD".
void add_patterns(const CommandWords& command, Words& patterns) {
  for (const CommandWords& sub : command.commands) {
    patterns.push_back(fmt::format("'{} {}'", key(command), sub.path.back()));
    add_patterns(sub, patterns);
  }
}

std::string value_cases(const CommandWords& command) {
  Words files;
  Words others;  // numbers and words that nobody could guess
  std::string text;
  for (const OptionWords& option : command.options) {
    if (option.argument || option.value.empty()) continue;
    if (!option.choices.empty()) {
      text += fmt::format("        {}) files= values='{}' ;;\n", fmt::join(option.names, " | "),
                          fmt::join(option.choices, " "));
    } else {
      Words& names = option.is_file() ? files : others;
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  if (!files.empty()) text += fmt::format("        {}) files=yes ;;\n", fmt::join(files, " | "));
  if (!others.empty()) text += fmt::format("        {}) files= ;;\n", fmt::join(others, " | "));
  return text.empty() ? "" : "      case $before in\n" + text + "      esac\n";
}

std::string command_case(const CommandWords& command) {
  Words options;
  Words commands;
  bool files = false;
  for (const OptionWords& option : command.options) {
    if (option.argument) {
      files |= option.is_file();
    } else {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
  }
  for (const CommandWords& sub : command.commands) commands.push_back(sub.path.back());
  std::string text = fmt::format("    '{}')\n      options='{}' values='{}' files={}\n{}      ;;\n",
                                 key(command), fmt::join(options, " "), fmt::join(commands, " "),
                                 files ? "yes" : "", value_cases(command));
  for (const CommandWords& sub : command.commands) text += command_case(sub);
  return text;
}

}  // namespace

std::string bash_completion(const CommandWords& program) {
  Words patterns;
  add_patterns(program, patterns);
  return fmt::format(
      R"(# Completion for bash, written by thresh {version} from its own options.
_thresh() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= i
  local options= values= files=
  # --option=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {patterns})
        command+=${{command:+ }}${{COMP_WORDS[i]}} ;;
    esac
  done
  case $command in
{cases}  esac
  if [[ $word == -* ]]; then
    values=$options
  elif [[ $files ]]; then
    return
  fi
  compopt +o default
  COMPREPLY=($(compgen -W "$values" -- "$word"))
}}
complete -o default -F _thresh thresh
)",
      fmt::arg("version", version()), fmt::arg("patterns", fmt::join(patterns, " | ")),
      fmt::arg("cases", command_case(program)));
}

}  // namespace thresh::cli
