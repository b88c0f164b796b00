// thresh tune DATA --grid ...: try many options, choose on held-out rows, learn from all rows.

#include <fmt/format.h>

#include <memory>

#include "checkpoint.hpp"
#include "ranks.hpp"
#include "select.hpp"
#include "thresh/error.hpp"
#include "thresh/train.hpp"

namespace thresh::cli {
namespace {

struct TuneCommand : TrainCommand {
  std::string grid, search = "grid", by = "error", state;
  std::optional<std::uint64_t> candidates;
  std::uint64_t folds = 0;
  bool one_se = false;
};

TuneOptions finish_tune_options(const TuneCommand& c, const std::vector<Axis>& axes) {
  TuneOptions options;
  options.search = c.search == "halving" ? Search::halving : Search::all;
  options.folds = c.folds;
  options.by = c.by == "loss" ? By::loss : By::error;
  options.one_se = c.one_se;
  options.state_file = c.state;
  if (c.given("--cv") && c.folds < 2) throw UsageError("--cv must be at least 2");
  if (c.search == "random" && !c.candidates) {
    throw UsageError("--search random needs --candidates N");
  }
  if (c.search == "grid" && c.candidates) {
    throw UsageError("--candidates requires --search random or halving");
  }
  if (options.by == By::loss && options.one_se && c.folds == 0) {
    throw UsageError(
        "--one-se with --by loss needs --cv: a single split gives no standard error of the loss");
  }
  for (const Axis& axis : axes) {
    if (axis.name == "scale" && c.given("--scale"))
      throw UsageError("scale is given twice, by --grid and --scale");
  }
  if (c.options.calibrate && c.valid.empty()) {
    throw UsageError(
        "--calibrate needs --valid FILE, because the final model trains on all rows of DATA");
  }
  return options;
}

std::vector<Candidate> find_candidates(const TuneCommand& c, const std::vector<Axis>& axes) {
  Options base = training_options(c);
  base.calibrate = false;
  const bool has_own = !c.valid.empty() || c.folds > 0 || c.given("--holdout");
  if (!has_own) base.holdout = kUsualHoldout;
  return c.candidates ? random_candidates(base, axes, *c.candidates) : grid_candidates(base, axes);
}

Json to_json(const Judged& judged) {
  Json json = Json::object();
  for (const auto& [name, value] : judged.candidate.settings) json["settings"][name] = value;
  if (!judged.failure.empty()) {
    json["failure"] = judged.failure;
    return json;
  }
  json["rung"] = judged.rung;
  json["error"] = estimate_json(judged.error);
  json["loss"] = estimate_json(judged.loss);
  json["nonzeros"] = estimate_json(judged.nonzeros);
  for (const Trial& trial : judged.trials) json["trials"].push_back(trial_json(trial));
  return json;
}

void report_json(const TuneCommand& c, const TuneResult& tuned, const FitResult& refit,
                 const std::string& path) {
  Json json = Json::object();
  json["model"] = path;
  json["solver"] = c.options.solver;
  json["search"] = c.search;
  json["by"] = c.by;
  add_scale(c, json);
  for (std::size_t i = 0; i < tuned.candidates.size(); ++i) {
    Json& candidate = json["candidates"].emplace_back(to_json(tuned.candidates[i]));
    candidate["chosen"] = i == *tuned.chosen;
  }
  json["refit"] = refit.model.summary;
  const std::vector<std::string> warnings = warnings_of(tuned.candidates[*tuned.chosen]);
  if (!warnings.empty()) json["warnings"] = warnings;
  print_json(json);
}

std::vector<std::string> table_row(const TuneCommand& c, const Judged& judged, bool chosen) {
  std::vector<std::string> cells{chosen ? "*" : ""};
  if (c.search == "halving") cells.push_back(std::to_string(judged.rung + 1));
  for (const auto& setting : judged.candidate.settings) cells.push_back(setting.second);
  if (!judged.failure.empty()) {
    cells.push_back(judged.failure);
    return cells;
  }
  cells.push_back(shown_error(judged.error, judged.candidate.options.task));
  cells.push_back(fmt::format("{:.6g}", judged.loss.mean));
  cells.push_back(judged.trials.size() > 1 ? fmt::format("{:.1f}", judged.nonzeros.mean)
                                           : fmt::format("{:.0f}", judged.nonzeros.mean));
  return cells;
}

std::string table_of(const TuneCommand& c, const TuneResult& tuned) {
  const Judged& first = tuned.candidates.front();
  std::vector<std::string> heading{""};
  if (c.search == "halving") heading.emplace_back("rung");
  for (const auto& setting : first.candidate.settings) heading.push_back(setting.first);
  heading.emplace_back(name_of(error_kind(first.candidate.options)));
  heading.emplace_back("loss");
  heading.emplace_back("non-zeros");
  Table table = {heading};
  // A reason is longer than a number and would push all columns apart.
  std::string failures;
  for (std::size_t i = 0; i < tuned.candidates.size(); ++i) {
    const Judged& judged = tuned.candidates[i];
    const std::vector<std::string> row = table_row(c, judged, i == tuned.chosen);
    if (judged.failure.empty()) {
      table.push_back(row);
    } else {
      failures += fmt::format("{}\n", fmt::join(row, "  "));
    }
  }
  return table_text(table) + failures;
}

FitResult refitted(const TuneCommand& c, const Problem& problem, const Candidate& chosen,
                   const std::string& path) {
  Options options = for_all_rows(chosen.options);
  options.calibrate = c.options.calibrate;
  const FeatureScale scale = chosen.scale.value_or(FeatureScale::automatic);
  return learn_from_all(c, with_scale(problem, scale, options.stop), options, path);
}

// What the trials of the chosen candidate warned of and its last run, which tells its own, did not.
std::vector<std::string> warnings_beside(const FitResult& refit, const Judged& chosen) {
  std::vector<std::string> all = refit.warnings;
  add_warnings(all, warnings_of(chosen));
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(refit.warnings.size()));
  return all;
}

void run_tune(const TuneCommand& c) {
  const std::vector<Axis> axes = parse_grid(c.grid, c.options.solver);
  if (axes.empty())
    throw UsageError("--grid is required, such as --grid \"lambda=log:1e-6:1e-2:5\"");
  std::vector<std::string> names;
  names.reserve(axes.size());
  for (const Axis& axis : axes) names.push_back(axis.name);
  refuse_two_lambdas(c, names);
  const TuneOptions options = finish_tune_options(c, axes);
  const std::vector<Candidate> candidates = find_candidates(c, axes);
  const std::string path = model_path(c);
  check_outputs({{"model", path}, {"state", c.state}}, inputs_of(c));
  const Problem problem = open_data(c);
  check_names(c, problem);
  SelectMeter meter("tuning", c.out.quiet);
  const TuneResult tuned = tune(problem, candidates, options, &meter);
  meter.clear();
  if (!tuned.chosen) {
    throw Error(fmt::format("{}: all candidates failed; the first one: {}", problem.train->name(),
                            tuned.candidates.front().failure));
  }
  if (!writes_outputs()) return;  // the first rank learns from all rows
  // Before the last run, which may take its time.
  if (!c.out.json && !c.out.quiet) print(table_of(c, tuned));
  const Judged& chosen = tuned.candidates[*tuned.chosen];
  const FitResult refit = refitted(c, problem, chosen.candidate, path);
  tell_warnings(warnings_beside(refit, chosen));
  if (c.out.json) {
    report_json(c, tuned, refit, path);
  } else if (!c.out.quiet) {
    print(fmt::format("model: {} ({}, {} non-zeros)\n", path, learned_from(refit),
                      thousands(refit.last.at.nonzeros)));
  }
  tell_stop(refit, path);
}

void tune_or_keep_state(const TuneCommand& c) {
  try {
    run_tune(c);
  } catch (const Interrupted&) {
    if (c.state.empty()) throw;
    say("thresh: stopped; run the same command again to resume from {}\n", c.state);
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto c = std::make_shared<TuneCommand>();
  CLI::App& command = *app.add_subcommand("tune", "Choose options on held-out rows");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin");
  add_file(command, "-o,-f,--output", c->output,
           "Output file for the model; default: DATA.thresh in the current folder");
  add_train_options(command, *c);
  drop_options(command, {"--from", "--trace", "--trace-at"});
  const auto option = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->group("Search");
  };
  option("--grid", c->grid, "What to try: NAME=A,B,C NAME=LO:HI:STEP NAME=log:LO:HI:COUNT ...");
  option(
      "--search", c->search,
      "grid: try all; random: try --candidates of them; halving: rounds that keep the better ones")
      ->check(CLI::IsMember({"grid", "random", "halving"}))
      ->capture_default_str();
  option("--candidates", c->candidates, "Number of candidates to draw (by --seed)")
      ->check(whole_number());
  option("--cv", c->folds, "Number of folds to cross-validate with, instead of --holdout")
      ->check(whole_number())
      ->excludes("--holdout")
      ->excludes("--valid");
  option("--by", c->by,
         "Choose by error (of --loss poisson, huber and quantile their mean deviance or loss, not "
         "the RMSE) or by loss; ties by the other, then by fewer non-zeros")
      ->check(CLI::IsMember({"error", "loss"}))
      ->capture_default_str();
  command
      .add_flag("--one-se", c->one_se,
                "Choose the smallest model within one standard error of the best")
      ->group("Search");
  option("--state", c->state, "Save finished trials in this file, and resume from it")
      ->type_name(kFile);
  command.footer(
      "Examples:\n"
      "  thresh tune rcv1.svm --solver ftrl --grid \"lambda=log:1e-6:1e-3:4 eta=0.1,0.5,1\"\n"
      "  thresh tune a.svm --solver cd --grid \"lambda=log:1e-5:1e-1:9\" --cv 5 --one-se\n"
      "  thresh tune a.svm --solver fobos --grid \"eta=log:0.01:10:9 lambda=0,1e-5,1e-4\" \\\n"
      "      --search halving --passes 27 --state a.trials\n"
      "Without --valid, --holdout or --cv, 20% of the rows are held out. Candidates are trained\n"
      "side by side; the chosen one is then trained on all rows.");
  command.callback([c] {
    if (ranks != nullptr && !c->state.empty()) {
      throw UsageError("--state does not support several ranks (--checkpoint does)");
    }
    if (!c->state.empty() && !c->checkpoint.empty()) {
      throw UsageError("--state and --checkpoint exclude each other");
    }
    begin_checkpoint(*c);
    tune_or_keep_state(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
