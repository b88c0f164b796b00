#include "common.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {

std::atomic<bool> stop_requested = false;

namespace {

std::atomic<int> stop_signal = SIGINT;

// The first signal asks; a second one no longer finds this handler and ends the program at once.
void on_signal(int signal) {
  stop_signal = signal;
  stop_requested = true;
}

// Whether writing one would destroy the other. Neither has to exist yet, and what is no regular
// file, /dev/null for instance, cannot be replaced.
bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // what cannot be looked at cannot be opened either
  if (fs::equivalent(a, b, ignored)) return fs::is_regular_file(a, ignored);
  if (fs::exists(a, ignored) || fs::exists(b, ignored)) return false;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  return place(a) == place(b);
}

// What the columns of a table were to the training, where nothing else is said.
void read_table_as(const Record& reading, TableOptions& table) {
  if (!reading.has("header")) return;
  if (!reading.at("header").flag()) table.header = false;
  if (table.delimiter == 0) table.delimiter = reading.value("delimiter", "").text().c_str()[0];
  if (table.label.empty()) table.label = reading.value("label", "").text();
  if (table.categorical.empty()) {
    table.categorical = reading.value("categories", Value::List()).texts();
  }
  table.ignore = reading.value("ignored", Value::List()).texts();
  table.numeric = reading.value("numeric", Value::List()).texts();
  table.na = reading.value("na", Value::List()).texts();
  table.id = reading.value("id", "").text();
  table.weight = reading.value("weight", "").text();
  table.group = reading.value("group", "").text();
  table.time = reading.value("time", "").text();
  table.dates.clear();
  const Record dates = reading.value("dates", Record()).record();
  for (const auto& [name, ignored] : dates) table.dates.push_back(name);
  const Record texts = reading.value("texts", Record()).record();
  for (const auto& [name, ignored] : texts) table.texts.push_back(name);
  table.missing = reading.has("means")                              ? TableOptions::Missing::mean
                  : reading.value("missing", "").text() == "refuse" ? TableOptions::Missing::refuse
                                                                    : TableOptions::Missing::zero;
}

}  // namespace

void install_stop_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Of a terminal that was closed; not under nohup, which lets a run go on.
  struct sigaction now {};
  sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A file that may not grow any more is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

int stop_exit_code() {
  return 128 + stop_signal;
}

void add_output_flags(CLI::App& command, OutputFlags& flags) {
  command.add_flag("--json", flags.json, "Print the result as JSON");
  command.add_flag("-q,--quiet", flags.quiet, "Hide progress and the report, but not warnings");
}

void add_file_flags(CLI::App& command, ReadFlags& flags) {
  add_choice(command, "--format", flags.format, {"auto", "libsvm", "vw", "csv", "tsv", "text"},
             "Data format: libsvm, vw, csv, tsv or text; auto: the model's format, else by the "
             "file name");
  command.add_flag("--allow-unsorted", flags.options.allow_unsorted,
                   "Accept rows with unsorted feature indices, and sort them");
  add_choice(command, "--on-bad-row", flags.on_bad_row, {"stop", "skip"},
             "On a bad row: stop, or skip it");
  command.add_flag("--no-cache", flags.no_cache, "Do not read or write DATA.thresh-cache");
}

void add_naming_flags(CLI::App& command, ReadFlags& flags) {
  const char* const group = "Data with named features (vw, csv, tsv)";
  TableOptions& table = flags.options.table;
  command
      .add_option("--label", table.label,
                  "Label column, by name or number; default: the column named label, class, target "
                  "or y, else the last")
      ->group(group);
  command
      .add_option("--categorical", table.categorical,
                  "Treat these columns as categorical even if their cells are numbers: A,B,C")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  const auto columns = [&](const char* name, std::vector<std::string>& value, const char* help) {
    command.add_option(name, value, help)->delimiter(',')->allow_extra_args(false)->group(group);
  };
  columns("--numeric", table.numeric, "Columns of numbers that look like ids and are none: A,B,C");
  columns("--ignore", table.ignore, "Columns to leave out: A,B,C");
  columns("--text", table.texts,
          "Columns of text beside others: terms as for --format text become features COLUMN:TERM");
  columns("--date", table.dates,
          "Columns of dates, such as 2024-03-31: become year, month, weekday and age in days");
  command.add_option("--id", table.id, "Column that names the rows; predictions carry it")
      ->group(group);
  command.add_option("--weight", table.weight, "Column with the weights of the rows")->group(group);
  command
      .add_option("--group", table.group,
                  "Column of groups: rows of one group are held out, or in a fold, together")
      ->group(group);
  command
      .add_option("--time", table.time,
                  "Column of dates or numbers: the latest rows are held out; folds are periods")
      ->group(group);
  add_choice(command, "--missing", flags.missing, {"mean", "zero", "refuse"},
             "A missing number: mean (its column's, trimmed, and a feature `COLUMN is missing` if "
             "frequent), zero, or refuse the row")
      ->group(group);
  columns("--na", table.na,
          "Words for a missing cell, besides an empty one; default, in columns of numbers: NA, "
          "N/A, NaN, null, None, ? and -");
  command.add_flag("!--no-header", table.header, "The first line holds data, not column names")
      ->group(group);
  command
      .add_option("--delimiter", flags.delimiter, "Cell separator; default: , (csv) or tab (tsv)")
      ->group(group);
  command
      .add_option("--hash-bits", flags.options.hash_bits,
                  "Hash feature names into 2^B features; memory does not grow with the number of "
                  "names")
      ->check(CLI::Range(1U, 30U))
      ->group(group);
}

// One character that is part of no number.
char delimiter_of(const std::string& text) {
  if (text.empty()) return 0;
  const std::string one = text == "\\t" || text == "tab" ? "\t" : text;
  constexpr std::string_view kPossible = ",;|\t :!#$%&*/=?@^_~";
  if (one.size() != 1 || kPossible.find(one[0]) == std::string_view::npos) {
    throw UsageError(fmt::format("--delimiter '{}': give one character, such as ; or tab", text));
  }
  return one[0];
}

void add_read_flags(CLI::App& command, ReadFlags& flags) {
  command.add_flag("--zero-based", flags.options.zero_based, "Feature indices start at 0");
  command
      .add_option("--dim", flags.options.dim,
                  "Largest allowed feature index; a larger one is an error")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  add_choice(command, "--normalize", flags.normalize, {"none", "l2"},
             "Scale every row to unit length: l2 or none");
  add_file_flags(command, flags);
  add_naming_flags(command, flags);
  add_text_options(command, flags.text);
  command
      .add_flag("--cache", flags.cache,
                "Cache parsed rows in DATA.thresh-cache (automatic for text over 64 MB that is "
                "read more than once)")
      ->excludes("--no-cache");
}

ReadOptions finish(const ReadFlags& flags) {
  ReadOptions options = flags.options;
  options.normalize_l2 = flags.normalize == "l2";
  options.scale = *scale_named(flags.scale);
  options.skip_bad_rows = flags.on_bad_row == "skip";
  options.cache = flags.no_cache ? ReadOptions::Cache::none
                  : flags.cache  ? ReadOptions::Cache::always
                                 : ReadOptions::Cache::large;
  options.on_note = [](const std::string& line) { say("thresh: {}\n", line); };
  options.table.delimiter = delimiter_of(flags.delimiter);
  const bool keyed = !options.table.group.empty() || !options.table.time.empty();
  if (keyed && !options.table.group.empty() && !options.table.time.empty()) {
    throw UsageError("--group and --time exclude each other");
  }
  // It does not hold groups, times and texts.
  if (keyed || !options.table.texts.empty()) options.cache = ReadOptions::Cache::none;
  options.table.missing = flags.missing == "mean"   ? TableOptions::Missing::mean
                          : flags.missing == "zero" ? TableOptions::Missing::zero
                                                    : TableOptions::Missing::refuse;
  options.text = finish(flags.text);
  options.stop = &stop_requested;
  options.format = format_named(flags.format).value_or(Format::automatic);
  return options;
}

ReadOptions finish(const ReadFlags& flags, const Model& model) {
  ReadOptions options = finish(flags);
  const ReadOptions as_trained = read_options_for(model);
  if (options.format == Format::automatic) options.format = as_trained.format;
  if (options.format != Format::libsvm && model.format == Format::libsvm) {
    throw UsageError(fmt::format(
        "--format {}: the model identifies features by number, not by name; give libsvm data",
        name_of(options.format)));
  }
  const bool text = options.format == Format::text;
  if (options.format != Format::libsvm && text != (model.format == Format::text)) {
    throw UsageError(fmt::format("--format {}: the model was trained on {} data",
                                 name_of(options.format), name_of(model.format)));
  }
  options.vocabulary = as_trained.vocabulary;
  options.table.needed = as_trained.table.needed;
  options.zero_based = as_trained.zero_based;
  options.normalize_l2 = as_trained.normalize_l2;
  return options;
}

ReadOptions finish_as_for_training(const ReadFlags& flags, const Model& model) {
  ReadOptions options = finish(flags);
  if (options.format == Format::automatic) options.format = model.format;
  read_table_as(model.reading, options.table);
  if (model.reading.has("header")) options.vocabulary = training_vocabulary(model);
  options.interactions = model.interactions;
  options.zero_based = model.zero_based;
  options.normalize_l2 = model.normalize_l2;
  return options;
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> taken = inputs;
  for (NamedFile& input : taken) {
    if (input.path == "-") input.path = "/dev/stdin";
  }
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    if (output.path == "-") {
      throw UsageError(
          fmt::format("cannot write the {} to -: give a file name, or /dev/stdout", output.what));
    }
    for (const NamedFile& other : taken) {
      if (!other.path.empty() && is_same_file(output.path, other.path)) {
        throw UsageError(
            fmt::format("the {} would overwrite the {}: {}", output.what, other.what, output.path));
      }
    }
    taken.push_back(output);
  }
}

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range && rest == end) {
      return fmt::format("{} is too large", text);
    }
    if (error != std::errc() || rest != end) return fmt::format("{} is not a whole number", text);
    // Which some take for octal.
    if (text != std::to_string(value)) return fmt::format("{}: write {}", text, value);
    return std::string();
  };
  return {check, "UINT"};
}

CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value,
                        const std::vector<std::string>& words, const char* help) {
  return command.add_option(name, value, help)->check(CLI::IsMember(words))->capture_default_str();
}

double parse_real(const std::string& option, const std::string& text) {
  const auto value = parse_finite(text);
  if (!value) throw UsageError(fmt::format("{}: '{}' is not a finite number", option, text));
  return *value;
}

double parse_seconds(const std::string& option, const std::string& text) {
  std::string number = text;
  double unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    unit = last == 'm' ? 60 : last == 'h' ? 3600 : 1;
    if (last == 's' || last == 'm' || last == 'h') number.pop_back();
  }
  const double seconds = unit * parse_real(option, number);
  if (seconds < 0) throw UsageError(option + " must not be negative");
  return seconds;
}

double parse_percent(const std::string& option, const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto value = percent ? parse_finite(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!value) {
    throw UsageError(fmt::format("{} {}: write a percentage, such as 5%", option, text));
  }
  return *value / 100;
}

std::string percent(double fraction) {
  return fmt::format("{:.4g}%", 100 * fraction);
}

std::string thousands(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return thousands(n / 1000) + fmt::format(",{:03}", n % 1000);
}

std::string skipped(std::uint64_t bad_rows) {
  return fmt::format("{} bad {} skipped", thousands(bad_rows), bad_rows == 1 ? "row" : "rows");
}

void print(std::string_view text) {
  std::string clean;
  if (isatty(STDOUT_FILENO) != 0) text = clean = printable(text, true);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(fmt::format("standard output: {}", std::strerror(errno)));
  }
}

void tell_lines(const std::string& file, const std::string& note) {
  std::istringstream lines(note);
  for (std::string line; std::getline(lines, line);) say("{}: {}\n", file, line);
}

// Names may be in any encoding; JSON is UTF-8.
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json label_json(const Model& model, double label) {
  if (model.label_names.empty()) return label;
  return model.label_text(label);
}

void print_json(const Json& json) {
  print(json_text(json, 2));
}

void print_result(const OutputFlags& out, const Json& json, const std::string& text) {
  if (out.json) return print_json(json);
  if (!out.quiet) print(text);
}

}  // namespace thresh::cli
