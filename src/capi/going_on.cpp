#include "capi/going_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capi/setters.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::capi {
namespace {

namespace fs = std::filesystem;

// The files that the rows come from. Throws UsageError for rows that a later call may not find.
std::vector<std::string> paths_of(const thresh_data& data, const thresh_data* valid,
                                  const std::string& option) {
  std::vector<std::string> paths;
  for (const thresh_data* each : {&data, valid}) {
    if (each == nullptr) continue;
    const auto* const path = std::get_if<Path>(&each->content);
    if (path == nullptr) {
      throw UsageError(fmt::format("--{} applies to files, not to arrays", option));
    }
    paths.push_back(path->path);
  }
  return paths;
}

bool is_file_option(const OptionInfo& option, const std::string& name) {
  return option.kind == OptionInfo::Kind::file && option.is_called(name);
}

bool names_file(const std::string& name) {
  const auto among = [&](const std::vector<OptionInfo>& options) {
    return std::any_of(options.begin(), options.end(),
                       [&](const OptionInfo& option) { return is_file_option(option, name); });
  };
  const auto& all = solvers();
  return among(shared_options()) || among(reading_options()) ||
         std::any_of(all.begin(), all.end(),
                     [&](const SolverInfo& solver) { return among(solver.options); });
}

// What a call must have in common with the one that it continues. These change no result.
std::vector<std::string> call_of(const thresh_settings& given,
                                 const std::vector<std::string>& paths) {
  std::vector<std::string> call = {"thresh_train"};
  call.insert(call.end(), paths.begin(), paths.end());
  for (const auto& [name, value] : given.given) {
    if (name == "threads" || name == "checkpoint" || name == "checkpoint-every") continue;
    call.push_back(fmt::format("{}={}", name, value));
  }
  return call;
}

void refuse_same_file(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code none;
  for (const std::string& input : inputs) {
    if (output == input || fs::equivalent(output, input, none)) {
      throw UsageError(fmt::format("{} would overwrite the data", output));
    }
  }
}

}  // namespace

const std::vector<std::string>& GoingOn::names() {
  static const std::vector<std::string> all = {"checkpoint", "checkpoint-every", "save-state",
                                               "from"};
  return all;
}

GoingOn::GoingOn(const thresh_settings* given, const thresh_data& data, const thresh_data* valid,
                 const thresh_model* start, Parsed& settings) {
  const std::string from = settings.text("from");
  const std::string save = settings.text("save-state");
  const std::string checkpoint = settings.text("checkpoint");
  if (settings.has("checkpoint-every") && checkpoint.empty()) {
    throw UsageError("--checkpoint-every requires --checkpoint");
  }
  for (const std::string& name : names()) {
    if (!settings.has(name)) continue;
    const std::vector<std::string> paths = paths_of(data, valid, name);
    if (name == "checkpoint" || name == "save-state") refuse_same_file(settings.text(name), paths);
  }
  if (start != nullptr && !(from.empty() && checkpoint.empty())) {
    throw UsageError("a run with --from or --checkpoint cannot start from a model in memory");
  }
  if (!from.empty()) take_state(from, settings);
  if (!save.empty()) begin_state(save, settings);
  if (checkpoint.empty()) return;
  std::vector<std::string> paths = paths_of(data, valid, "checkpoint");
  if (!from.empty()) paths.push_back(from);
  begin_checkpoint(*given, paths, settings);
}

void GoingOn::take_state(const std::string& path, Parsed& settings) {
  if (!Checkpoint::is_one(path)) {
    throw Error(path + ": not a state; give a model to continue from as a model");
  }
  state_ = LearnerState::load(path);
  static_cast<Options&>(settings.options) = state_->options_with(settings.options, settings.names);
  settings.options.from_state = settings.read.from_state = state_.get();
}

void GoingOn::begin_state(const std::string& path, Parsed& settings) {
  const bool sized = settings.options.features || settings.options.density;
  if (solver_named(settings.options.solver).many_sizes && !sized) {
    throw UsageError(
        fmt::format("--save-state: {} must know the number of rows, so it cannot go "
                    "on with new ones; choose another solver",
                    settings.options.solver));
  }
  check_writable(path);
  settings.options.save_state = true;
  saved_state_.emplace(path, 0.0, std::vector<std::string>{"thresh_train"});
}

void GoingOn::begin_checkpoint(const thresh_settings& given, const std::vector<std::string>& paths,
                               Parsed& settings) {
  const std::string path = settings.text("checkpoint");
  const auto seconds = seconds_of("checkpoint-every", settings.text("checkpoint-every", "60"));
  const std::vector<std::string> call = call_of(given, paths);
  for (const std::string& input : paths) {
    if (!fs::is_regular_file(input) && !fs::is_directory(input)) {
      throw UsageError(fmt::format("--checkpoint: {} cannot be read again", input));
    }
  }
  if (fs::exists(path)) {
    checkpoint_ = Checkpoint::load(path);
    if (checkpoint_->command() != call) {
      throw Error(fmt::format("{}: the checkpoint of another call ({}); delete it to begin anew",
                              path, fmt::join(checkpoint_->command(), " ")));
    }
    checkpoint_->set_interval(seconds);
  } else {
    checkpoint_ = std::make_unique<Checkpoint>(path, seconds, call);
  }
  for (const std::string& input : paths) checkpoint_->watch(input);
  for (const auto& [name, value] : given.given) {
    if (names_file(name)) checkpoint_->watch(value);
  }
  if (!checkpoint_->continues()) checkpoint_->begin();
  settings.options.checkpoint = settings.read.checkpoint = checkpoint_.get();
}

// The checkpoint stays: the model is in memory only, and with it the same call returns it again.
void GoingOn::finish(const Trained& trained) {
  if (saved_state_ && trained.state) trained.state->save(*saved_state_);
  if (checkpoint_) checkpoint_->update({}, true);
}

}  // namespace thresh::capi
