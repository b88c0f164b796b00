// thresh pages FOLDER: man pages and completions, as they lie under share/. The build calls it; it
// is hidden from help, since an installed program has its pages.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "thresh/files.hpp"
#include "thresh/options.hpp"
#include "words.hpp"

namespace thresh::cli {
namespace {

namespace fs = std::filesystem;

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

CommandWords words_of(const CLI::App& app, std::vector<std::string> path = {}) {
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

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_file(path, text);
}

void write_man_pages(const fs::path& folder, const CommandWords& command) {
  write(folder / (command.name("-") + ".1"), man_page(command));
  for (const CommandWords& sub : command.commands) write_man_pages(folder, sub);
}

}  // namespace

std::string CommandWords::name(const char* between) const {
  return fmt::format("{}", fmt::join(path, between));
}

void add_pages(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("pages", "Write man pages and completions");
  command.group("");
  command.add_option("folder", *folder, "Output folder, laid out like share/")->required();
  command.callback([&app, folder] {
    const fs::path share = *folder;
    const CommandWords program = words_of(app);
    write_man_pages(share / "man/man1", program);
    write(share / "bash-completion/completions/thresh", bash_completion(program));
    write(share / "zsh/site-functions/_thresh", zsh_completion(program));
  });
}

}  // namespace thresh::cli
