// thresh: the program. Every subcommand is a file of its own; this one turns what went wrong into
// one line and an exit code: 1 for bad input, 2 for bad usage, 128 + signal when stopped.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <thread>
#include <utility>

#include "checkpoint.hpp"
#include "common.hpp"
#include "ranks.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace {

using namespace thresh;

int fail(int code, const std::string& message) {
  const std::string line = cli::line_of_failure(message);
  if (!line.empty()) cli::say("thresh: {}\n", line);
  return code;
}

// Without allocating.
int out_of_memory() {
  cli::say_text("thresh: out of memory\n");
  return 1;
}

std::atomic<bool> memory_ran_out = false;

// Memory may also run out where no exception may pass: in destructors of the JSON library, and in
// functions of the standard library.
[[noreturn]] void on_terminate() {
  if (memory_ran_out) ::_exit(out_of_memory());
  std::abort();
}

// Before the objects of other files are made, which allocate.
[[gnu::constructor(101)]] void prepare_to_terminate() {
  std::set_terminate(on_terminate);
  std::set_new_handler([] {
    memory_ran_out = true;
    throw std::bad_alloc();
  });
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The names a user could have meant, of options with dashes and of subcommands without.
std::vector<std::string> known_words(const CLI::App& command, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : command.get_subcommands(nullptr)) {
      if (!sub->get_group().empty()) words.push_back(sub->get_name());  // else it is hidden
    }
  }
  return words;
}

// The subcommand of the subcommand ... that was reached.
const CLI::App& innermost(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.front());
}

int missing_command(const CLI::App& app) {
  return fail(2, fmt::format("a command is required: {}",
                             fmt::join(known_words(innermost(app), false), ", ")));
}

std::string in_lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

// What other programs call an option of ours, in lower case; "" if the word is none of these.
std::string other_name(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"--drop", "--ignore"},
                                                            {"--exclude", "--ignore"},
                                                            {"--target", "--label"},
                                                            {"--response", "--label"},
                                                            {"--penalty", "--lambda"},
                                                            {"--alpha", "--lambda"},
                                                            {"--impute", "--missing"},
                                                            {"--na-values", "--na"},
                                                            {"--index", "--id"},
                                                            {"--sample-weight", "--weight"},
                                                            {"--quadratic", "--interactions"},
                                                            {"--interaction", "--interactions"},
                                                            {"--text-column", "--text"},
                                                            {"--epochs", "--passes"},
                                                            {"--regularization", "--lambda"},
                                                            {"--separator", "--delimiter"},
                                                            {"--seperator", "--delimiter"},
                                                            {"--sep", "--delimiter"}};
  if (std::find(known.begin(), known.end(), word) != known.end()) return word;
  for (const auto& [theirs, ours] : kNames) {
    if (word == theirs && std::find(known.begin(), known.end(), ours) != known.end()) return ours;
  }
  return "";
}

// Vowpal Wabbit's -q nt asks for pairs of features of two namespaces. Here -q is --quiet.
std::string hint_of_pairs(const std::string& word) {
  const auto& all = cli::arguments;
  const auto at = std::find(all.begin(), all.end(), word);
  const bool after_q = !word.starts_with("-") && at != all.begin() && at != all.end() &&
                       (*(at - 1) == "-q" || *(at - 1) == "--quadratic");
  if (!after_q && !word.starts_with("--quadratic") && !word.starts_with("-q:")) return "";
  return "for products of two namespaces, -q nt in Vowpal Wabbit, use --interactions n:t";
}

int unknown_argument(const CLI::App& app) {
  const CLI::App& command = innermost(app);
  const bool top = &command == &app;
  const auto extra = app.remaining(true);
  const std::string word = extra.empty() ? "" : extra.front().substr(0, extra.front().find('='));
  const bool option = word.starts_with("-");
  const std::vector<std::string> known = known_words(command, option);
  const std::string meant = other_name(in_lower_case(word), known);
  const std::string guess = meant.empty() ? nearest(word, known) : meant;
  const bool choice = !command.get_subcommands(nullptr).empty();
  const std::string kind = option ? "option" : choice ? "command" : "argument";
  const std::string pairs = extra.empty() ? "" : hint_of_pairs(extra.front());
  const std::string hint =
      !pairs.empty()   ? pairs
      : !guess.empty() ? fmt::format("did you mean {}?", guess)
                       : fmt::format("see `thresh {}--help`", top ? "" : command.get_name() + " ");
  return fail(2, fmt::format("unknown {} {} ({})", kind, word, hint));
}

int printed(int code) {
  return std::cout.flush() ? code : fail(1, "standard output: cannot write");
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    cli::meet();
    return cli::stop_requested ? cli::stop_exit_code() : 0;
  } catch (const CLI::CallForHelp& help) {
    return printed(app.exit(help));
  } catch (const CLI::CallForVersion& version) {
    return printed(app.exit(version));
  } catch (const CLI::ExtrasError&) {
    return unknown_argument(app);
  } catch (const CLI::RequiredError& error) {
    // CLI11 misses a subcommand before it wonders about the word that was meant to be one.
    if (!innermost(app).get_subcommands(nullptr).empty()) {
      return app.remaining(true).empty() ? missing_command(app) : unknown_argument(app);
    }
    return fail(2, first_line(error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = first_line(error.what());
    const std::size_t most = what.find(": At Most 1 required but received ");
    if (most == std::string::npos) return fail(2, what);
    return fail(2, what.substr(0, most) + " is given more than once");
  } catch (const CLI::ParseError& error) {
    return fail(2, first_line(error.what()));
  } catch (const UsageError& error) {
    return fail(2, error.what());
  } catch (const Interrupted&) {
    return fail(cli::stop_exit_code(), "interrupted; no file was written");
  } catch (const RankFailed&) {
    return 1;
  } catch (const Error& error) {
    return fail(1, error.what());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}

int run_command(std::vector<std::string> words) {
  std::vector<char*> arguments = {const_cast<char*>("thresh")};
  for (std::string& word : words) arguments.push_back(word.data());
  CLI::App app("thresh learns sparse linear models from massive, high-dimensional data.", "thresh");
  cli::add_commands(app);
  return run(app, static_cast<int>(arguments.size()), arguments.data());
}

// With the other ranks, if there are any. Returns an exit code, 0 for success.
int join() {
  try {
    cli::join();
    return 0;
  } catch (const UsageError& error) {
    const int code = fail(2, error.what());
    cli::ranks.reset();
    return code;
  } catch (const Error& error) {
    // Ranks that could not meet fail alike, and cannot agree who tells. The launcher ends all of
    // them with the first, so the others give rank 0 time to tell.
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr || std::string(rank) == "0") return fail(1, error.what());
    std::this_thread::sleep_for(std::chrono::seconds(5));
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  cli::fill_standard_descriptors();
  cli::install_stop_handler();
  cli::arguments.assign(argv + 1, argv + std::max(1, argc));
  if (const int code = join(); code != 0) return code;
  int code = run_command(cli::arguments);
  if (cli::resumed) code = run_command(cli::resumed->command());
  cli::ranks.reset();
  return code;
}
