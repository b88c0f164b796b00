// thresh cv DATA: cross-validation of one configuration.

#include <fmt/format.h>

#include <memory>

#include "checkpoint.hpp"
#include "ranks.hpp"
#include "select.hpp"
#include "thresh/error.hpp"
#include "thresh/train.hpp"

namespace thresh::cli {
namespace {

struct CvCommand : TrainCommand {
  std::uint64_t folds = 5;
};

void report(const CvCommand& c, const Judged& judged, const std::vector<std::string>& warnings) {
  const Task task = judged.candidate.options.task;
  Json json = Json::object();
  json["solver"] = c.options.solver;
  add_scale(c, json);
  json["error"] = estimate_json(judged.error);
  json["loss"] = estimate_json(judged.loss);
  json["nonzeros"] = estimate_json(judged.nonzeros);
  Table table;
  table.push_back(
      {"fold", "rows", name_of(error_kind(judged.candidate.options)), "loss", "non-zeros"});
  for (const Trial& trial : judged.trials) {
    json["folds"].push_back(trial_json(trial));
    table.push_back({std::to_string(json["folds"].size()), thousands(trial.rows),
                     shown_error(trial.error, task), fmt::format("{:.6g}", trial.loss),
                     thousands(trial.nonzeros)});
  }
  table.push_back({"mean", "", shown_error(judged.error.mean, task),
                   fmt::format("{:.6g}", judged.loss.mean),
                   fmt::format("{:.1f}", judged.nonzeros.mean)});
  table.push_back({"s.e.", "", shown_error(*judged.error.se, task),
                   fmt::format("{:.2g}", *judged.loss.se),
                   fmt::format("{:.1f}", *judged.nonzeros.se)});
  if (!warnings.empty()) json["warnings"] = warnings;
  print_result(c.out, json, table_text(table));
}

void cv(CvCommand& c) {
  if (c.data.empty()) throw UsageError("data is required");
  TrainOptions options;
  static_cast<Options&>(options) = training_options(c);
  const bool sizes = solver_named(options.solver).many_sizes;
  if (!sizes || options.features || options.density) check_options(options);
  if (c.folds < 2) throw UsageError("--folds must be at least 2");
  const Problem problem = open_data(c);
  SelectMeter meter("cross-validating", c.out.quiet);
  const Judged judged = sizes
                            ? cross_validate_training(problem, options, c.folds, &meter)
                            : cross_validate(problem, {{{}, options, {}}}, c.folds, &meter).front();
  meter.clear();
  const std::vector<std::string> warnings = warnings_of(judged);
  tell_warnings(warnings);
  if (!judged.failure.empty()) {
    throw Error(fmt::format("{}: {}", problem.train->name(), judged.failure));
  }
  if (writes_outputs()) report(c, judged, warnings);
}

}  // namespace

void add_cv(CLI::App& app) {
  auto c = std::make_shared<CvCommand>();
  CLI::App& command = *app.add_subcommand("cv", "Cross-validate what `train` does");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin");
  add_count(command, "--folds", c->folds, "Number of folds (--seed assigns the rows)")
      ->capture_default_str();
  add_train_options(command, *c);
  drop_options(command, {"--holdout", "--valid", "--calibrate", "--names", "--trace", "--trace-at",
                         "--from"});
  command.footer(
      "Examples:\n"
      "  thresh cv rcv1.svm.xz\n"
      "  thresh cv rcv1.svm.xz --features 500\n"
      "  thresh cv prices.svm --task regression --solver cd --lambda 0.1 --folds 10 --json\n"
      "Each fold is held out once while a model trains on all others, as `thresh train` would: the "
      "solver\n"
      "budget chooses the size, or with --features other settings, without the fold. The models "
      "are "
      "not\n"
      "saved.");
  command.callback([c] {
    begin_checkpoint(*c);
    cv(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
