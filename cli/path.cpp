// thresh path DATA: one model for each value of an option.

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>

#include "files/atomic_file.hpp"
#include "model/names.hpp"
#include "select.hpp"
#include "select/side_by_side.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct PathCommand : TrainCommand {
  std::string over, first, last, values, folder;
  std::uint64_t count = 10;
};

std::vector<Candidate> candidates_of(PathCommand& c) {
  const bool nothing_said = c.over.empty() && c.first.empty() && c.last.empty() && c.values.empty();
  if (nothing_said && find_solver(c.options.solver).info.lambdas) {
    c.over = "lambda-ratio";
    c.first = "1";
    c.last = "0.001";
    if (!c.given("--count")) c.count = 20;
  }
  if (c.over == "budget") c.over = "features";
  if (c.over.empty()) throw UsageError("--over is required, such as --over lambda");
  if (c.over == "scale") throw UsageError("--over scale: features have one scale (but see tune)");
  refuse_two_lambdas(c, {c.over});
  const bool ends = !c.first.empty() && !c.last.empty();
  if (ends == !c.values.empty()) throw UsageError("say --from A --to B, or --values A,B,C");
  const std::string range = ends ? fmt::format("log:{}:{}:{}", c.first, c.last, c.count) : c.values;
  std::vector<Candidate> candidates =
      grid_candidates(read_options(c), parse_grid(c.over + "=" + range, c.options.solver));
  for (Candidate& candidate : candidates) {
    check_options(candidate.options);
    // The end of every run is scored on the rows it learned from as well.
    candidate.options.trace =
        TraceAt{TraceAt::Kind::examples, std::numeric_limits<std::uint64_t>::max()};
  }
  return candidates;
}

std::vector<Options> options_of(const std::vector<Candidate>& candidates) {
  std::vector<Options> options;
  for (const Candidate& candidate : candidates) {
    options.push_back(candidate.options);
    judge_as_asked(options.back());
  }
  return options;
}

double number_of(const Candidate& candidate) {
  const auto& [name, value] = candidate.settings.front();
  return to_number(name, value);
}

bool falls(const std::vector<Candidate>& candidates) {
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (number_of(candidates[i]) >= number_of(candidates[i - 1])) return false;
  }
  return true;
}

// One run through all values of lambda, each solved from the one before. What passes do not suffice
// for has no result.
std::vector<FitResult> descend(const Problem& problem, const PathCommand& c,
                               const std::vector<Candidate>& candidates, SelectMeter& meter) {
  Options options = candidates.back().options;
  for (const Candidate& candidate : candidates) {
    options.lambdas.push_back(number_of(candidate));
  }
  options.lambdas.pop_back();
  FitResult last = std::move(fit_all(problem, {options}, meter).front());
  if (last.status.outcome == Outcome::diverged) return {candidates.size(), last};
  std::vector<FitResult> results;
  for (Recorded& recorded : last.recorded) {
    FitResult& result = results.emplace_back();
    result.model = std::move(recorded.model);
    result.last = recorded.last;
    result.status = {Outcome::converged, "on the way"};
  }
  last.recorded.clear();
  const std::string ended = last.status.reason;
  if (last.status.outcome == Outcome::converged) results.push_back(std::move(last));
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json said = Json::parse(results[i].model.options);
    said[c.over] = number_of(candidates[i]);
    results[i].model.options = said.dump();
  }
  if (results.size() < candidates.size()) {
    const std::string missing =
        fmt::format("{} {} and below: not reached ({})", c.over,
                    candidates[results.size()].settings.front().second, ended);
    if (results.empty()) throw Error(missing);
    results.back().warnings.push_back(missing);
  }
  return results;
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
    results[i].model.save(file_of(c, candidates[i]));
  }
}

void report_json(const PathCommand& c, const std::vector<Candidate>& candidates,
                 const std::vector<FitResult>& results, const std::vector<std::string>& warnings) {
  Json json;
  json["solver"] = c.options.solver;
  json["over"] = c.over;
  add_scale(c, json);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FitResult& result = results[i];
    Json& point = json["models"].emplace_back();
    point["value"] = candidates[i].settings.front().second;
    point["status"] = name_of(result.status.outcome);
    point["reason"] = result.status.reason;
    if (result.status.outcome == Outcome::diverged) continue;
    point["nonzeros"] = result.last.at.nonzeros;
    point["density"] = result.last.at.density();
    point["objective"] = or_null(result.last.objective);
    point["train_error"] = or_null(result.last.train_error);
    point["valid_error"] = or_null(result.last.valid_error);
    point["valid_loss"] = or_null(result.last.valid_loss);
    if (!c.folder.empty()) point["model"] = file_of(c, candidates[i]);
  }
  if (!warnings.empty()) json["warnings"] = warnings;
  print_json(json);
}

void report(const PathCommand& c, const std::vector<Candidate>& candidates,
            const std::vector<FitResult>& results) {
  const Task task = candidates.front().options.task;
  const std::string error = error_heading(task);
  TextTable table;
  table.add({c.over, "non-zeros", "density", "train " + error, "objective", "valid " + error,
             "valid loss"});
  std::string failures;  // a reason is longer than a number and would push all columns apart
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& value = candidates[i].settings.front().second;
    const TracePoint& last = results[i].last;
    if (results[i].status.outcome == Outcome::diverged) {
      failures += fmt::format("{}  diverged: {}\n", value, results[i].status.reason);
      continue;
    }
    table.add({value, thousands(last.at.nonzeros), percent(last.at.density()),
               shown_error(*last.train_error, task), fmt::format("{:.6g}", *last.objective),
               last.valid_error ? shown_error(*last.valid_error, task) : "-",
               last.valid_loss ? fmt::format("{:.6g}", *last.valid_loss) : "-"});
  }
  std::string text = table.text() + failures;
  if (!c.folder.empty()) text += fmt::format("models: {}\n", c.folder);
  if (!c.out.quiet) print(text);
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
  const bool of_lambda = c.over == "lambda" || c.over == "lambda-ratio";
  const bool in_one = of_lambda && find_solver(c.options.solver).info.lambdas && falls(candidates);
  std::vector<FitResult> results = in_one ? descend(problem, c, candidates, meter)
                                          : fit_all(problem, options_of(candidates), meter);
  meter.clear();
  std::vector<std::string> warnings;
  for (const FitResult& result : results) add_warnings(warnings, result.warnings);
  tell_warnings(warnings);
  if (!c.folder.empty()) save_models(c, candidates, results);
  if (c.out.json) {
    report_json(c, candidates, results, warnings);
  } else {
    report(c, candidates, results);
  }
}

}  // namespace

void add_path(CLI::App& app) {
  auto c = std::make_shared<PathCommand>();
  CLI::App& command = *app.add_subcommand("path", "Train one model for each value of an option");
  command.add_option("data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin")
      ->type_name(kFile);
  add_train_options(command, *c);
  drop_options(command, {"--from", "--trace", "--trace-at", "--calibrate"});
  command.add_option("--over", c->over, "The option: lambda, features, density, eta, ...")
      ->group("Path");
  command.add_option("--from", c->first, "The first value")->group("Path");
  command.add_option("--to", c->last, "The last value")->group("Path");
  command.add_option("--count", c->count, "How many values, evenly spaced on a logarithmic scale")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Path");
  command.add_option("--values", c->values, "Or the values themselves, A,B,C")->group("Path");
  command.add_option("--save", c->folder, "Write the models into this folder")
      ->type_name(kFolder)
      ->group("Path");
  command.footer(
      "Examples:\n"
      "  thresh path rcv1.svm --solver cd --over lambda --from 1e-2 --to 1e-5 --holdout 20%\n"
      "  thresh path rcv1.svm --solver budget --over features --values 10,100,1000 --save models\n"
      "  thresh path rcv1.svm --solver l1\n"
      "All models are trained side by side, over the same passes; those of l1 one after the "
      "other,\n"
      "from the largest lambda down, each from the one before.");
  command.callback([c] { path(*c); });
}

}  // namespace thresh::cli
