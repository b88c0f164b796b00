// thresh path DATA: one model for each value of an option.

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "checkpoint.hpp"
#include "select.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {
namespace {

struct PathCommand : TrainCommand {
  std::string over, first, last, values, folder;
  std::uint64_t count = 10;
};

std::vector<Candidate> candidates_of(PathCommand& c) {
  const bool nothing_said = c.over.empty() && c.first.empty() && c.last.empty() && c.values.empty();
  if (nothing_said && solver_named(c.options.solver).lambdas) {
    c.over = "lambda-ratio";
    c.first = "1";
    c.last = "0.001";
    if (!c.given("--count")) c.count = 20;
  }
  if (c.over == "budget") c.over = "features";
  if (c.over.empty()) throw UsageError("--over is required, such as --over lambda");
  if (c.over == "scale")
    throw UsageError("--over scale is not supported; use `thresh tune --grid scale=...`");
  refuse_two_lambdas(c, {c.over});
  const bool ends = !c.first.empty() && !c.last.empty();
  if (ends == !c.values.empty()) throw UsageError("give --from A --to B, or --values A,B,C");
  const std::string range = ends ? fmt::format("log:{}:{}:{}", c.first, c.last, c.count) : c.values;
  std::vector<Candidate> candidates =
      grid_candidates(training_options(c), parse_grid(c.over + "=" + range, c.options.solver));
  for (Candidate& candidate : candidates) {
    check_options(candidate.options);
    // The end of every run is scored on the rows it learned from as well.
    candidate.options.trace =
        TraceAt{TraceAt::Kind::examples, std::numeric_limits<std::uint64_t>::max()};
  }
  return candidates;
}

std::string file_of(const PathCommand& c, const Candidate& candidate) {
  const auto& [name, value] = candidate.settings.front();
  return (std::filesystem::path(c.folder) / fmt::format("{}={}.thresh", name, value)).string();
}

// Whether there could be files in a folder, which may have to be made first, and those above it.
void check_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  fs::path first = fs::absolute(folder, unknown);
  if (fs::is_directory(first, unknown)) return check_writable((first / "model").string());
  while (first.has_relative_path() && !fs::exists(first.parent_path(), unknown)) {
    first = first.parent_path();
  }
  check_writable(first.string());
}

void save_models(const PathCommand& c, const std::vector<Candidate>& candidates,
                 std::vector<FitResult>& results) {
  std::error_code error;
  std::filesystem::create_directories(c.folder, error);
  if (error) throw Error(fmt::format("{}: {}", c.folder, error.message()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status.outcome == Outcome::diverged) continue;
    if (!c.names.empty()) attach_names(c.names, results[i].model);
    save_model(c, results[i].model, file_of(c, candidates[i]));
  }
}

void report(const PathCommand& c, const std::vector<Candidate>& candidates,
            const std::vector<FitResult>& results, const std::vector<std::string>& warnings) {
  const Task task = candidates.front().options.task;
  const std::string error = name_of(error_kind(candidates.front().options));
  Json json = Json::object();
  json["solver"] = c.options.solver;
  json["over"] = c.over;
  add_scale(c, json);
  Table table;
  table.push_back({c.over, "non-zeros", "density", "train " + error, "objective", "valid " + error,
                   "valid loss"});
  json["models"] = Json::array();
  std::string failures;  // a reason is longer than a number and would push all columns apart
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& value = candidates[i].settings.front().second;
    const Status& status = results[i].status;
    const TracePoint& last = results[i].last;
    Json& point = json["models"].emplace_back(Json::object());
    point["value"] = value;
    point["status"] = name_of(status.outcome);
    point["reason"] = status.reason;
    if (status.outcome == Outcome::diverged) {
      failures += fmt::format("{}  diverged: {}\n", value, status.reason);
      continue;
    }
    point["nonzeros"] = last.at.nonzeros;
    point["density"] = last.at.density();
    point["objective"] = or_null(last.objective);
    point["train_error"] = or_null(last.train_error);
    point["valid_error"] = or_null(last.valid_error);
    point["valid_loss"] = or_null(last.valid_loss);
    if (!c.folder.empty()) point["model"] = file_of(c, candidates[i]);
    table.push_back({value, thousands(last.at.nonzeros), percent(last.at.density()),
                     shown_error(*last.train_error, task), fmt::format("{:.6g}", *last.objective),
                     last.valid_error ? shown_error(*last.valid_error, task) : "-",
                     last.valid_loss ? fmt::format("{:.6g}", *last.valid_loss) : "-"});
  }
  if (!warnings.empty()) json["warnings"] = warnings;
  const std::string models = c.folder.empty() ? "" : fmt::format("models: {}\n", c.folder);
  print_result(c.out, json, table_text(table) + failures + models);
}

void path(PathCommand& c) {
  const std::vector<Candidate> candidates = candidates_of(c);
  if (!c.folder.empty()) {
    for (const Candidate& one : candidates)
      check_outputs({{"model", file_of(c, one)}}, inputs_of(c));
    check_folder(c.folder);
  }
  const Problem problem = open_data(c);
  check_names(c, problem);
  SelectMeter meter("training", c.out.quiet);
  std::vector<FitResult> results = learn_path(problem, c.over, candidates, meter);
  meter.clear();
  std::vector<std::string> warnings;
  for (const FitResult& result : results) add_warnings(warnings, result.warnings);
  tell_warnings(warnings);
  if (!c.folder.empty()) save_models(c, candidates, results);
  report(c, candidates, results, warnings);
}

}  // namespace

void add_path(CLI::App& app) {
  auto c = std::make_shared<PathCommand>();
  CLI::App& command = *app.add_subcommand("path", "Train one model for each value of an option");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin");
  add_train_options(command, *c);
  drop_options(command, {"--from", "--trace", "--trace-at", "--calibrate"});
  command.add_option("--over", c->over, "The option: lambda, features, density, eta, ...")
      ->group("Path");
  command.add_option("--from", c->first, "The first value")->group("Path");
  command.add_option("--to", c->last, "The last value")->group("Path");
  add_count(command, "--count", c->count, "How many values, evenly spaced on a logarithmic scale")
      ->capture_default_str()
      ->group("Path");
  command.add_option("--values", c->values, "The values, A,B,C, instead of --from and --to")
      ->group("Path");
  command.add_option("--save", c->folder, "Write the models into this folder")
      ->type_name(kFolder)
      ->group("Path");
  command.footer(
      "Examples:\n"
      "  thresh path rcv1.svm --solver cd --over lambda --from 1e-2 --to 1e-5 --holdout 20%\n"
      "  thresh path rcv1.svm --solver budget --over features --values 10,100,1000 --save models\n"
      "  thresh path rcv1.svm --solver l1\n"
      "All models are trained side by side, over the same passes. l1 trains them one after the "
      "other,\n"
      "from the largest lambda down, each starting from the one before.");
  command.callback([c] {
    begin_checkpoint(*c);
    path(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
