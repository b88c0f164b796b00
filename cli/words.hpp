// Describes the command line, as declared to the parser. Man pages and completions are generated
// from it, so they always agree with --help.
#pragma once

#include <string>
#include <vector>

#include "common.hpp"

namespace thresh::cli {

struct OptionWords {
  std::vector<std::string> names;    // with dashes; for an argument its name
  std::string value;                 // the type of the value, such as TEXT; "": a flag
  std::vector<std::string> choices;  // all allowed values, if they are few
  std::string help, group, by_default;
  bool argument = false;  // positional
  bool required = false;

  bool is_file() const { return value == kFile || value == kFolder; }
};

struct CommandWords {
  std::vector<std::string> path;  // "thresh", "generate", "corpus"
  std::string help, footer;
  std::vector<OptionWords> options;
  std::vector<CommandWords> commands;

  // The path joined by `between`: "thresh generate corpus" with a space.
  std::string name(const char* between) const;
};

// The generated texts.
std::string man_page(const CommandWords& command);
std::string bash_completion(const CommandWords& program);
std::string zsh_completion(const CommandWords& program);

}  // namespace thresh::cli
