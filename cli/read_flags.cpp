#include "read_flags.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {
namespace {

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

}  // namespace

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

}  // namespace thresh::cli
