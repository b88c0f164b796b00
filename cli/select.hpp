// What frontier, tune, cv and path share: data opened the way train does, progress, how errors are
// shown.
#pragma once

#include <initializer_list>
#include <string>

#include "progress.hpp"
#include "thresh/select.hpp"
#include "train_options.hpp"

namespace thresh::cli {

// On a terminal a bar.
class SelectMeter : public SelectObserver, public Meter {
 public:
  using Meter::Meter;
  void on_progress(const Progress& progress) override;
};

// Options of train that mean nothing here.
void drop_options(CLI::App& command, std::initializer_list<const char*> names);

// Opens what the command is about, with progress.
Problem open_data(const TrainCommand& c);

// What was chosen on some rows, learned from all of them and written to `path`: if it is
// interrupted, the model so far. Throws if there is none.
FitResult learn_from_all(const TrainCommand& c, const Problem& problem, const Options& options,
                         const std::string& path);
// Writes the model of that run, with its names. Throws if the run diverged.
void keep_model(const TrainCommand& c, const Problem& problem, FitResult& result,
                const std::string& path);
// "all rows", unless it was interrupted.
const char* learned_from(const FitResult& result);
// If there was a Ctrl-C: says that what was written is the model so far, and what more there is to
// say of it. Whether there was one.
bool tell_stop(const FitResult& result, const std::string& path, const std::string& more = "");

// An error as it is shown: a percentage, or the RMSE of regression.
std::string shown_error(double error, Task task);
// The same with its standard error behind it, where there is one.
std::string shown_error(const Estimate& error, Task task);
const char* error_heading(Task task);

// On standard error, quiet or not; of which of several solvers, if that is not clear.
void tell_warnings(const std::vector<std::string>& warnings, const std::string& solver = "");

// What the trials of a candidate warned of.
std::vector<std::string> warnings_of(const Judged& judged);

// What --scale says, if anything.
void add_scale(const TrainCommand& c, Json& json);
Json estimate_json(const Estimate& estimate);
Json trial_json(const Trial& trial);

// Columns of text, each as wide as its widest cell, numbers to the right: a line for each row.
using Table = std::vector<std::vector<std::string>>;
std::vector<std::string> table_lines(const Table& table);
std::string table_text(const Table& table);

// Holds out the usual share where nothing was said about rows to judge by.
void hold_out_the_usual(const TrainCommand& c, Options& options);

// A row of a table with a bar of this length behind it, and a remark behind that.
struct BarRow {
  std::vector<std::string> cells;
  double value = 0;
  std::string remark;
};
// The longest bar has a fixed width; the others are as much shorter as their values are smaller.
std::string bar_table(const std::vector<std::string>& heading, const std::vector<BarRow>& rows);

// thresh train without a budget: reads the options, calls train() and shows what it does.
void train_by_choice(const TrainCommand& c);

}  // namespace thresh::cli
