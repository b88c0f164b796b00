// What can be written on the command line, read off the parser itself: man pages and completions
// are made of it, so they cannot say anything else than --help does.
#pragma once

#include <string>
#include <vector>

#include "common.hpp"

namespace thresh::cli {

struct OptionWords {
  std::vector<std::string> names;    // with their dashes; of an argument its name alone
  std::string value;                 // the kind of value, TEXT for instance; "": a flag
  std::vector<std::string> choices;  // all the values there are, where they are few
  std::string help, group, by_default;
  bool argument = false;  // goes by its place and not by a name
  bool required = false;

  bool is_file() const { return value == kFile || value == kFolder; }
};

struct CommandWords {
  std::vector<std::string> path;  // "thresh", "generate", "corpus"
  std::string help, footer;
  std::vector<OptionWords> options;
  std::vector<CommandWords> commands;

  // "thresh generate corpus" with a blank between.
  std::string name(const char* between) const;
};

// The texts that are made of them.
std::string man_page(const CommandWords& command);
std::string bash_completion(const CommandWords& program);
std::string zsh_completion(const CommandWords& program);

}  // namespace thresh::cli
