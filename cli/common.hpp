// Shared by the subcommands: flags, number formats, the stop flag, output.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "messages.hpp"
#include "thresh/model.hpp"
#include "thresh/rows.hpp"

namespace thresh::cli {

// Begin with Json::object(): a null that turns into an object without memory for it crashes when it
// is destroyed.
using Json = nlohmann::ordered_json;

// Set by SIGINT, SIGTERM and SIGHUP.
extern std::atomic<bool> stop_requested;
void install_stop_handler();
// 128 + the number of the signal.
int stop_exit_code();

// The value types, as shown in the help, of options that take a file or a folder. Shell completion
// offers files and folders for these types only.
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "FOLDER";

struct OutputFlags {
  bool json = false;
  bool quiet = false;
};
void add_output_flags(CLI::App& command, OutputFlags& flags);

// A file of the command line: its role, for messages, and its path ("" if not given, "-" for
// standard input).
struct NamedFile {
  std::string what, path;
};
// Throws UsageError if an output would replace an input or another output. Call it before opening
// any of them.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

// A check for counts: CLI11 would read -1 as a very large number.
CLI::Validator whole_number();

// Options that most commands have.
template <class Paths>
CLI::Option* add_file(CLI::App& command, const char* name, Paths& value, const char* help) {
  return command.add_option(name, value, help)->type_name(kFile);
}
CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value,
                        const std::vector<std::string>& words, const char* help);
template <class Count>
CLI::Option* add_count(CLI::App& command, const char* name, Count& value, const char* help) {
  return command.add_option(name, value, help)->check(whole_number());
}

double parse_real(const std::string& option, const std::string& text);
// "5%" -> 0.05. Throws UsageError without the percent sign, because "5" is ambiguous.
double parse_percent(const std::string& option, const std::string& text);
// "90", "90s", "5m" and "2h" in seconds.
double parse_seconds(const std::string& option, const std::string& text);
// 0.0123 -> "1.23%"
std::string percent(double fraction);
// 1234567 -> "1,234,567"
std::string thousands(std::uint64_t n);
std::string skipped(std::uint64_t bad_rows);  // "3 bad rows skipped"

// Prints to standard output. Throws Error if that fails, for example because the disk is full.
void print(std::string_view text);
std::string json_text(const Json& json, int indent);
void print_json(const Json& json);
// Prints the result of a command: as JSON, or as text unless --quiet is set.
void print_result(const OutputFlags& out, const Json& json, const std::string& text);

// Prints each line of a note about a file.
void tell_lines(const std::string& file, const std::string& note);

// A label, a word or a number as in the data.
Json label_json(const Model& model, double label);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// One function per subcommand.
using AddCommand = void(CLI::App& app);
// All subcommands.
AddCommand add_commands;
AddCommand add_train, add_resume, add_frontier, add_tune, add_cv, add_path, add_predict, add_eval,
    add_explain, add_compare, add_threshold, add_verify, add_weights, add_diagnose, add_solvers,
    add_generate, add_export, add_convert, add_vectorize, add_cache, add_report, add_pages;

}  // namespace thresh::cli
