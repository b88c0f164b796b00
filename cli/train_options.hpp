// The options of `thresh train`, as on the command line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common.hpp"
#include "read_flags.hpp"
#include "thresh/fit.hpp"
#include "thresh/learner_state.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {

struct TrainCommand {
  std::string data, vw_data, output, valid, from, names, trace_file, max_error, by = "both", spare,
                                                                                on_stop = "keep";
  bool certify = false;
  std::string prove, prove_time = "10m";
  double delta = 0.05;
  std::string checkpoint, checkpoint_every = "60s";
  std::shared_ptr<Checkpoint> saved;  // with --checkpoint, see checkpoint.hpp
  std::string save_state;
  std::shared_ptr<const LearnerState> state;  // if --from names one, and not a model
  std::vector<std::string> keep;
  std::function<bool(const std::string&)> given;  // whether an option is on the command line
  Options options;                                // set by the command line alone
  ReadFlags read;
  OutputFlags out;
};

void add_train_options(CLI::App& command, TrainCommand& c);

// The options in the form that the library takes.
Options training_options(const TrainCommand& c);
// The same, checked: throws UsageError for contradictory options.
Options finish_options(const TrainCommand& c);

// Throws UsageError if both lambda and lambda-ratio are set. `over`: options with several values.
void refuse_two_lambdas(const TrainCommand& c, const std::vector<std::string>& over = {});

// The input files, except the model to start from, which the new one may replace.
std::vector<NamedFile> inputs_of(const TrainCommand& c);
// The path for the model. Throws UsageError if the model or the trace would replace an input.
std::string model_path(const TrainCommand& c);
// Throws Error if features are left without a name.
void check_names(const TrainCommand& c, const Problem& problem);
// Prints how the data were read, if the program decided that.
void tell_reading(const TrainCommand& c, const Problem& problem);

}  // namespace thresh::cli
