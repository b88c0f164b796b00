// What the subcommands share: flags, number formats, the stop flag, output.
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

using Json = nlohmann::ordered_json;

// Set by SIGINT, SIGTERM and SIGHUP.
extern std::atomic<bool> stop_requested;
void install_stop_handler();
// 128 + the signal that asked for the stop.
int stop_exit_code();

// The kinds of value, as help names them, of options that take a file or a folder: completions
// offer those there and nowhere else.
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "FOLDER";

struct OutputFlags {
  bool json = false;
  bool quiet = false;
};
void add_output_flags(CLI::App& command, OutputFlags& flags);

// The options of texts as the user writes them.
struct TextFlags {
  std::string ngrams, chars, stop_words, min_df = "1", max_df = "100%", tf = "count", norm = "l2";
  bool keep_case = false;
  bool idf = true;
  TextOptions options;
  std::vector<CLI::Option*> all;  // of the command
};

void add_text_options(CLI::App& command, TextFlags& flags);
// Throws UsageError if the user wrote one for data of another format.
void check_text_flags(const TextFlags& flags, Format format);
// Throws UsageError for what makes no sense.
TextOptions finish(const TextFlags& flags);

// Flags that say how a data file is to be read.
struct ReadFlags {
  ReadOptions options;
  std::string normalize = "none";
  std::string scale = "auto";  // only where something is learned
  std::string on_bad_row = "stop";
  bool no_cache = false;
  bool cache = false;
  std::string format = "auto";
  TextFlags text;
  std::string delimiter;
};
void add_read_flags(CLI::App& command, ReadFlags& flags);
// Flags for data in which features have names: what columns mean, and hashing.
void add_naming_flags(CLI::App& command, ReadFlags& flags);
// What belongs to the file and not to the model exists wherever data are read: its format, and how
// bad rows are treated.
void add_file_flags(CLI::App& command, ReadFlags& flags);
ReadOptions finish(const ReadFlags& flags);
// The same for data of a model: read as its training data were, unless the flags say otherwise.
ReadOptions finish(const ReadFlags& flags, const Model& model);
// For the rows that a model was trained on, with all their features: names mean what they meant
// there because they are learned anew, while the model only knows those of its own features.
ReadOptions finish_as_for_training(const ReadFlags& flags, const Model& model);

// A file of the command line: what it holds, as a message calls it, and where it is ("" if nobody
// asked for it, - for standard input).
struct NamedFile {
  std::string what, path;
};
// Throws UsageError if an output would take the place of an input or of another output. To be
// called before any of them is opened.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

// A check for counts: CLI11 would read -1 as a very large number.
CLI::Validator whole_number();

// The kinds of options that most commands have.
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
// "5%" -> 0.05. Throws UsageError without the percent sign: "5" could mean two things.
double parse_percent(const std::string& option, const std::string& text);
// 0.0123 -> "1.23%"
std::string percent(double fraction);
// 1234567 -> "1,234,567"
std::string thousands(std::uint64_t n);
std::string skipped(std::uint64_t bad_rows);  // "3 bad rows skipped"

// Prints to standard output and notices when that fails, a full disk behind it for instance.
void print(std::string_view text);
std::string json_text(const Json& json, int indent);
void print_json(const Json& json);
// What a command has to say for itself: as JSON, or as text unless it is to be quiet.
void print_result(const OutputFlags& out, const Json& json, const std::string& text);

// A label: a word or a number, as the data have it.
Json label_json(const Model& model, double label);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// One function for each subcommand.
using AddCommand = void(CLI::App& app);
AddCommand add_train, add_frontier, add_tune, add_cv, add_path, add_predict, add_eval, add_verify,
    add_weights, add_diagnose, add_solvers, add_generate, add_export, add_convert, add_vectorize,
    add_cache, add_report, add_pages;

}  // namespace thresh::cli
