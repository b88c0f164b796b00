// The options of `thresh train` as the user writes them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common.hpp"
#include "thresh/fit.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {

struct TrainCommand {
  std::string data, output, valid, from, names, trace_file, max_error;
  bool certify = false;
  double delta = 0.05;
  std::vector<std::string> keep;
  std::function<bool(const std::string&)> given;  // whether the user wrote that option
  Options options;                                // as far as the command line alone decides
  ReadFlags read;
  OutputFlags out;
};

void add_train_options(CLI::App& command, TrainCommand& c);

// The options as the library takes them.
Options training_options(const TrainCommand& c);
// The same. Throws UsageError for what makes no sense together.
Options finish_options(const TrainCommand& c);

// Throws UsageError where lambda is given both ways. `over`: options whose values are tried.
void refuse_two_lambdas(const TrainCommand& c, const std::vector<std::string>& over = {});

// The files that are read. The model to start from is not among them: the new one may replace it.
std::vector<NamedFile> inputs_of(const TrainCommand& c);
// Where the model goes. Throws UsageError if it or the trace would replace what is read.
std::string model_path(const TrainCommand& c);
// Throws Error if features are left without a name.
void check_names(const TrainCommand& c, const Problem& problem);
// Says how the data were read, where that was not for the user to say.
void tell_reading(const TrainCommand& c, const Problem& problem);

}  // namespace thresh::cli
