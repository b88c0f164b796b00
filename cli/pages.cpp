// thresh pages FOLDER: man pages and completions, as they lie under share/. The build calls it; it
// is hidden from help, since an installed program has its pages.

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "thresh/files.hpp"
#include "words.hpp"

namespace thresh::cli {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_file(path, text);
}

void write_man_pages(const fs::path& folder, const CommandWords& command) {
  write(folder / (command.name("-") + ".1"), man_page(command));
  for (const CommandWords& sub : command.commands) write_man_pages(folder, sub);
}

}  // namespace

void add_pages(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("pages", "Write man pages and completions");
  command.group("");
  command.add_option("folder", *folder, "Where they go, as under share/")->required();
  command.callback([&app, folder] {
    const fs::path share = *folder;
    const CommandWords program = words_of(app);
    write_man_pages(share / "man/man1", program);
    write(share / "bash-completion/completions/thresh", bash_completion(program));
    write(share / "zsh/site-functions/_thresh", zsh_completion(program));
  });
}

}  // namespace thresh::cli
