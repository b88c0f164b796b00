// Shared by frontier, tune, cv and path: opening data as train does, progress, formatting of
// errors.
#pragma once

#include <initializer_list>
#include <string>

#include "progress.hpp"
#include "thresh/select.hpp"
#include "train_options.hpp"

namespace thresh::cli {

// Shows a progress bar on a terminal.
class SelectMeter : public SelectObserver, public Meter {
 public:
  using Meter::Meter;
  void on_progress(const Progress& progress) override;
};

// Removes options of train that do not apply to the command.
void drop_options(CLI::App& command, std::initializer_list<const char*> names);

// Opens the data of the command and shows progress.
// With `by_features`, of several ranks each opens its share of the features.
Problem open_data(const TrainCommand& c, bool by_features = false);
// The share of this rank, of the slices that the options set.
Problem open_share_of(const TrainCommand& c, ReadOptions read);

// Trains the chosen options on all rows and writes the model to `path`; after an interruption, the
// model so far. Throws if there is none.
FitResult learn_from_all(const TrainCommand& c, const Problem& problem, const Options& options,
                         const std::string& path);
// Writes the model of that run with feature names. Throws if the run diverged.
void keep_model(const TrainCommand& c, const Problem& problem, FitResult& result,
                const std::string& path);
// Writes a finished model to `path`. If that fails, saves it in the folder of --spare and throws an
// Error that names both.
void save_model(const TrainCommand& c, const Model& model, const std::string& path);
// Throws Interrupted if the run was stopped and --on-stop is discard.
void check_stopped(const TrainCommand& c, const FitResult& result);
// "all rows", unless it was interrupted.
const char* learned_from(const FitResult& result);
// After a Ctrl-C: prints that the file contains the model so far, followed by `more`. Returns
// whether there was a Ctrl-C.
bool tell_stop(const FitResult& result, const std::string& path, const std::string& more = "");

// The threshold that a model stores, as a field to add to JSON and as a line of text; empty if it
// stores none.
Json threshold_json(const Model& model);
std::string threshold_line(const Model& model);

// Formats an error: a percentage, or a number for regression.
std::string shown_error(double error, Task task);
// The same, followed by its standard error if known.
std::string shown_error(const Estimate& error, Task task);

// Prints warnings on standard error, even with --quiet. `solver` names their solver if there are
// several.
void tell_warnings(const std::vector<std::string>& warnings, const std::string& solver = "");

// The warnings of a candidate's trials.
std::vector<std::string> warnings_of(const Judged& judged);

// Adds the value of --scale, if it is set.
void add_scale(const TrainCommand& c, Json& json);
Json estimate_json(const Estimate& estimate);
Json trial_json(const Trial& trial);

// Columns of text, each as wide as its widest cell, numbers right-aligned; one line per row.
using Table = std::vector<std::vector<std::string>>;
std::vector<std::string> table_lines(const Table& table);
std::string table_text(const Table& table);

// The first given option that only a single run of a set size can follow, or "".
std::string single_run_option(const TrainCommand& c);
// Holds out the default share if the user set neither --holdout nor --valid. Throws UsageError for
// --holdout 0%.
void hold_out_the_usual(const TrainCommand& c, Options& options);

// A table row, followed by a bar of this length and a remark.
struct BarRow {
  std::vector<std::string> cells;
  double value = 0;
  std::string remark;
};
// The longest bar has a fixed width; the others are proportional to their values.
std::string bar_table(const std::vector<std::string>& heading, const std::vector<BarRow>& rows);

// Adds --certify, --prove and --prove-time to a command that trains.
void add_certify_options(CLI::App& command, TrainCommand& c, const char* certify);
// Sets what they ask for.
void set_certify(const TrainCommand& c, Options& options);
// Throws UsageError for options that go against a certificate.
void check_certify(const TrainCommand& c);
// Adds the certificate that --certify asks for. Returns why there is none although one was asked
// for; "" if there is one, or none was.
std::string add_certificate(const TrainCommand& c, const Problem& problem, FitResult& result);
// The last word of a run. Throws Error if there is no certificate for this reason.
void tell_end(const FitResult& result, const std::string& path, const std::string& uncertified);

// Prints the result of a single run.
void report_run(const TrainCommand& c, const FitResult& result, const std::string& path);

// thresh train without a budget: reads the options, calls train() and shows progress and results.
void train_by_choice(const TrainCommand& c);

}  // namespace thresh::cli
