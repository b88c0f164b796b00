// A command's page for man(1), in the macros of man(7).

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "thresh/version.hpp"
#include "words.hpp"

namespace thresh::cli {
namespace {

// Text that roff shows as it is, on a line of its own; what stands in `quotes` is bold.
std::string roff(std::string_view text) {
  static const std::map<char, const char*> escapes = {
      {'\\', "\\e"},
      {'-', "\\-"},  // a plain one would become a hyphen, which no shell knows
      {'\'', "\\(aq"},
      {'^', "\\(ha"},
      {'~', "\\(ti"}};
  std::string out;
  bool bold = false;
  for (const char c : text) {
    if (c == '`') {
      bold = !bold;
      out += bold ? "\\fB" : "\\fR";
    } else if (const auto escape = escapes.find(c); escape != escapes.end()) {
      out += escape->second;
    } else {
      out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// A footer holds examples, indented, and notes.
std::string footer_lines(const std::string& footer, bool examples) {
  std::string out;
  for (const std::string& line : CLI::detail::split(footer, '\n')) {
    if (line == "Examples:" || line.starts_with("  ") != examples) continue;
    out += roff(examples ? line.substr(2) : line) + "\n";
  }
  return out;
}

std::string synopsis(const CommandWords& command) {
  std::string text = fmt::format(".B {}\n", roff(command.name(" ")));
  if (!command.commands.empty()) return text + "\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n";
  text += "[\\fIOPTION\\fR]...";
  for (const OptionWords& option : command.options) {
    if (!option.argument) continue;
    const std::string name = "\\fI" + roff(upper(option.names[0])) + "\\fR";
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string entry(const OptionWords& option) {
  std::string text = ".TP\n";
  if (option.argument) {
    text += "\\fI" + roff(upper(option.names[0])) + "\\fR";
  } else {
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      text += (i > 0 ? ", " : "") + ("\\fB" + roff(option.names[i]) + "\\fR");
    }
    if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
  }
  text += "\n" + roff(option.help);
  const auto fact = [&](const char* what, const std::string& value) {
    text += fmt::format(".\n{}{}", what, roff(value));
  };
  if (!option.choices.empty()) fact("One of: ", fmt::format("{}", fmt::join(option.choices, ", ")));
  if (!option.by_default.empty()) fact("Default: ", option.by_default);
  if (option.required && !option.argument) fact("Required", "");
  return text + ".\n";
}

// Groups in the order of their first options, each under its name.
std::string entries(const CommandWords& command) {
  std::string arguments;
  std::vector<std::pair<std::string, std::string>> groups;
  for (const OptionWords& option : command.options) {
    if (option.argument) {
      arguments += entry(option);
      continue;
    }
    const auto same = [&](const auto& group) { return group.first == option.group; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), {option.group, ""});
    group->second += entry(option);
  }
  std::string text = arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments;
  for (const auto& [name, options] : groups) {
    text += fmt::format(".SH \"{}\"\n{}", roff(upper(name)), options);
  }
  return text;
}

std::string command_list(const CommandWords& command) {
  std::string text;
  for (const CommandWords& sub : command.commands) {
    text += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(sub.name("-")), roff(sub.help));
  }
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

std::string see_also(const CommandWords& command) {
  CommandWords above = command;
  above.path.pop_back();
  if (above.path.empty()) return "";
  return fmt::format(".SH \"SEE ALSO\"\n.BR {} (1)\n", roff(above.name("-")));
}

constexpr const char* kExitStatus =
    ".SH \"EXIT STATUS\"\n"
    "0 on success, 1 for bad input, 2 for bad usage, 128 plus the number of the signal that "
    "stopped\n"
    "the program. One line on standard error names the problem and its place.\n";

}  // namespace

std::string man_page(const CommandWords& command) {
  const std::string name = roff(command.name("-"));
  std::string help = roff(command.help);
  if (help.ends_with('.')) help.pop_back();
  std::string text =
      fmt::format(".TH {} 1 \"\" \"thresh {}\" \"User Commands\"\n", upper(name), version());
  const std::string doubled = name + " ";  // "thresh learns ..."
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", name,
                      help.starts_with(doubled) ? help.substr(doubled.size()) : help,
                      synopsis(command));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", help);
  if (const std::string notes = footer_lines(command.footer, false); !notes.empty()) {
    text += ".PP\n" + notes;
  }
  text += command_list(command) + entries(command);
  if (const std::string lines = footer_lines(command.footer, true); !lines.empty()) {
    text += ".SH EXAMPLES\n.nf\n" + lines + ".fi\n";
  }
  return text + kExitStatus + see_also(command);
}

}  // namespace thresh::cli
