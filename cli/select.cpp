#include "select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ranks.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {

void SelectMeter::on_progress(const Progress& p) {
  tell(0.5, [&](double seconds) {
    constexpr int kWidth = 30;
    const auto full = static_cast<std::size_t>(kWidth * std::clamp(p.share, 0.0, 1.0));
    const std::string bar =
        line_.enabled() ? fmt::format("[{:<{}}] ", std::string(full, '#'), kWidth) : "";
    const std::string left =
        p.share > 0 ? fmt::format("{:.0f} s left", seconds * (1 - p.share) / p.share) : "?";
    return fmt::format("{} {}{} of {} done, {:.0f}%, {}", what_, bar, p.done, p.trials,
                       100 * p.share, left);
  });
}

void drop_options(CLI::App& command, std::initializer_list<const char*> names) {
  for (const char* name : names) command.remove_option(command.get_option(name));
}

Problem open_share_of(const TrainCommand& c, ReadOptions read) {
  const double slices = parse_real("--slices", c.options.solver_options.at("slices"));
  if (!(slices >= 1 && slices <= 65536)) throw UsageError("--slices must be between 1 and 65536");
  if (read.cache != ReadOptions::Cache::none) read.cache = ReadOptions::Cache::existing;
  return open_share(c.data, c.valid, read, static_cast<std::uint64_t>(slices), *ranks);
}

Problem open_data(const TrainCommand& c, bool by_features) {
  if (c.data.empty()) throw UsageError("data is required");
  ReadOptions read = finish(c.read);
  const bool divided = ranks != nullptr && by_features;
  if (ranks != nullptr && !divided) {
    check_same_file(c.data, *ranks);
    if (!c.valid.empty()) check_same_file(c.valid, *ranks);
    // Several ranks of a machine would write the same file.
    if (read.cache == ReadOptions::Cache::large) read.cache = ReadOptions::Cache::existing;
  }
  ReadMeter meter("reading " + c.data, c.out.quiet);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  Problem problem = divided ? open_share_of(c, read) : open_problem(c.data, c.valid, read);
  meter.clear();
  tell_reading(c, problem);
  return problem;
}

FitResult learn_from_all(const TrainCommand& c, const Problem& problem, const Options& options,
                         const std::string& path) {
  TrainProgress progress(c.out.quiet || c.out.json, options.steps ? 0 : options.passes);
  FitResult result = fit(problem, options, nullptr, &progress);
  progress.clear();
  keep_model(c, problem, result, path);
  return result;
}

namespace {

// A path in the folder that no file has yet.
std::string spare_path(const std::string& folder, const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).stem();
  std::error_code unknown;
  for (int number = 0;; ++number) {
    const std::string suffix = number == 0 ? "" : fmt::format("-{}", number);
    const auto spare = std::filesystem::path(folder) / (name.string() + suffix + ".thresh");
    if (!std::filesystem::exists(spare, unknown)) return spare.string();
  }
}

}  // namespace

void save_model(const TrainCommand& c, const Model& model, const std::string& path) {
  try {
    return model.save(path);
  } catch (const Error& error) {
    std::error_code unknown;
    const std::string folder =
        !c.spare.empty() ? c.spare : std::filesystem::temp_directory_path(unknown).string();
    const std::string spare = spare_path(folder, path);
    try {
      model.save(spare);
    } catch (const Error&) {
      throw Error(fmt::format("{}; the model could not be saved in {} either", error.what(),
                              folder.empty() ? "a temporary folder" : folder));
    }
    throw Error(fmt::format("{}; the model was saved as {}", error.what(), spare));
  }
}

void check_stopped(const TrainCommand& c, const FitResult& result) {
  if (result.status.outcome == Outcome::stopped && c.on_stop == "discard") {
    throw Interrupted("interrupted");
  }
}

void keep_model(const TrainCommand& c, const Problem& problem, FitResult& result,
                const std::string& path) {
  if (result.status.outcome == Outcome::diverged) {
    throw Error(fmt::format("{}: training on all rows diverged: {}; no model was written",
                            problem.train->name(), result.status.reason));
  }
  check_stopped(c, result);
  if (!c.names.empty()) attach_names(c.names, result.model);
  save_model(c, result.model, path);
}

const char* learned_from(const FitResult& result) {
  return result.status.outcome == Outcome::stopped ? "interrupted" : "all rows";
}

bool tell_stop(const FitResult& result, const std::string& path, const std::string& more) {
  if (result.status.outcome != Outcome::stopped && !stop_requested) return false;
  say("thresh: stopped; the model so far is in {}{}\n", path, more);
  return true;
}

std::string shown_error(double error, Task task) {
  return task == Task::regression ? fmt::format("{:.6g}", error) : percent(error);
}

std::string shown_error(const Estimate& error, Task task) {
  std::string mean = shown_error(error.mean, task);
  if (!error.se) return mean;
  const bool values = task == Task::regression;
  return fmt::format(
      "{} +- {}", mean,
      values ? fmt::format("{:.2g}", *error.se) : fmt::format("{:.2g}%", 100 * *error.se));
}

void add_scale(const TrainCommand& c, Json& json) {
  if (c.read.scale != "auto") json["scale"] = c.read.scale;
}

void tell_warnings(const std::vector<std::string>& warnings, const std::string& solver) {
  for (const std::string& warning : warnings) {
    const bool clear = warning.starts_with(solver);
    say("thresh: warning: {}{}\n", clear ? "" : solver + ": ", warning);
  }
}

std::vector<std::string> warnings_of(const Judged& judged) {
  std::vector<std::string> warnings;
  for (const Trial& trial : judged.trials) add_warnings(warnings, trial.warnings);
  return warnings;
}

Json estimate_json(const Estimate& estimate) {
  Json json = Json::object();
  json["mean"] = estimate.mean;
  json["se"] = or_null(estimate.se);
  return json;
}

Json trial_json(const Trial& trial) {
  Json json = Json::object();
  if (!trial.failure.empty()) {
    json["failure"] = trial.failure;
    return json;
  }
  json["rows"] = trial.rows;
  json["error"] = trial.error;
  json["error_se"] = trial.error_se;
  json["loss"] = trial.loss;
  json["nonzeros"] = trial.nonzeros;
  return json;
}

std::vector<std::string> table_lines(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : table) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{}{:>{}}", i > 0 ? "  " : "", row[i], widths[i]);
    }
  }
  return lines;
}

std::string table_text(const Table& table) {
  return fmt::format("{}\n", fmt::join(table_lines(table), "\n"));
}

}  // namespace thresh::cli
