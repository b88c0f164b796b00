// thresh train without a budget: models of many sizes in one run, the smallest good one of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ranks.hpp"
#include "select.hpp"
#include "thresh/certificate.hpp"
#include "thresh/error.hpp"
#include "thresh/train.hpp"

namespace thresh::cli {

std::string single_run_option(const TrainCommand& c) {
  for (const char* name : {"--from", "--trace", "--trace-at", "--calibrate", "--steps"}) {
    if (c.given(name)) return name;
  }
  return "";
}

namespace {

void check_holdout(const TrainCommand& c, const Options& options) {
  if (c.given("--holdout") && options.holdout == 0) {
    throw UsageError("--holdout 0% leaves no rows for validation");
  }
}

}  // namespace

void hold_out_the_usual(const TrainCommand& c, Options& options) {
  check_holdout(c, options);
  if (options.holdout == 0 && c.valid.empty()) options.holdout = kUsualHoldout;
}

std::string bar_table(const std::vector<std::string>& heading, const std::vector<BarRow>& rows) {
  constexpr double kWidth = 30;
  double longest = 0;
  for (const BarRow& row : rows) longest = std::max(longest, row.value);
  Table table = {heading};
  for (const BarRow& row : rows) table.push_back(row.cells);
  std::vector<std::string> lines = table_lines(table);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double share = longest > 0 ? rows[i].value / longest : 0;
    lines[i + 1] += fmt::format("  {:=<{}}", "", std::lround(kWidth * share));
    if (!rows[i].remark.empty()) lines[i + 1] += " " + rows[i].remark;
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

namespace {

double parse_error_limit(const TrainCommand& c, ErrorKind kind) {
  if (kind == ErrorKind::share) return parse_percent("--max-error", c.max_error);
  if (c.max_error.ends_with('%')) {
    const bool rmse = kind == ErrorKind::rmse;
    throw UsageError(
        fmt::format("--max-error {}: for regression, give a {}, not a percentage", c.max_error,
                    rmse ? "root mean squared error in units of the target" : name_of(kind)));
  }
  return parse_real("--max-error", c.max_error);
}

bool learns_one_size(const TrainCommand& c) {
  return (c.options.features || c.options.density) && c.valid.empty() && c.options.holdout == 0;
}

// The best model may be of a size that another one has the lower loss at, which is the one shown.
std::string remark_on(const TrainCommand& c, const SizeChoice& choice, Task task) {
  if (!c.max_error.empty()) {
    return fmt::format("<- the smallest within --max-error {}", c.max_error);
  }
  if (learns_one_size(c)) return "";
  if (c.options.features || c.options.density) return "<- the best";
  const double best = *choice.best.last.valid_error;
  const bool shown =
      std::any_of(choice.curve.begin(), choice.curve.end(),
                  [&](const SizedResult& point) { return *point.last.valid_error == best; });
  return "<- the smallest that is as good as the best" +
         (shown ? "" : ", " + shown_error(best, task));
}

AsGood as_good_of(const std::string& by) {
  if (by == "error") return AsGood::error;
  if (by == "loss") return AsGood::loss;
  if (by == "auc") return AsGood::auc;
  if (by == "f1") return AsGood::f1;
  return by == "rmse" ? AsGood::rmse : AsGood::both;
}

std::string table_of(const SizeChoice& choice, const std::string& remark, ErrorKind kind,
                     AsGood as_good) {
  const Task task = kind == ErrorKind::share ? Task::classification : Task::regression;
  std::vector<std::string> heading = {"budget", "non-zeros", fmt::format("valid {}", name_of(kind)),
                                      "valid loss"};
  const bool has_more = measured(choice.chosen, as_good).has_value();
  if (has_more) heading.emplace_back(as_good == AsGood::auc ? "valid AUC" : "valid F1");
  std::vector<BarRow> rows;
  for (const SizedResult& point : choice.curve) {
    const TracePoint& last = point.last;
    std::vector<std::string> cells = {
        thousands(point.budget), thousands(last.at.nonzeros),
        shown_error(Estimate{*last.valid_error, last.valid_error_se}, task),
        fmt::format("{:.4g}", *last.valid_loss)};
    if (has_more) cells.push_back(fmt::format("{:.4f}", measured(point, as_good).value_or(0)));
    rows.push_back(
        {std::move(cells), *last.valid_error, point.budget == choice.chosen.budget ? remark : ""});
  }
  return bar_table(heading, rows);
}

Json to_json(const std::vector<SizedResult>& curve) {
  Json json = Json::array();
  for (const SizedResult& point : curve) {
    Json& entry = json.emplace_back();
    entry["features"] = point.budget;
    entry["nonzeros"] = point.last.at.nonzeros;
    entry["valid_error"] = or_null(point.last.valid_error);
    entry["valid_error_se"] = or_null(point.last.valid_error_se);
    entry["valid_loss"] = or_null(point.last.valid_loss);
  }
  return json;
}

void report_json(const Trained& result, const std::string& path) {
  const SizeChoice& choice = *result.choice;
  Json json = Json::object();
  json["model"] = path;
  json.update(Json(result.model.summary));
  json["chosen"] = choice.chosen.budget;
  json["best_valid_error"] = or_null(choice.best.last.valid_error);
  json["bad_rows"] = result.bad_rows;
  json["options"] = result.model.options;
  json.update(threshold_json(result.model));
  if (result.model.certificate) json["certificate"] = *result.model.certificate;
  json["frontier"] = to_json(choice.curve);
  print_json(json);
}

void report(const Trained& result, const std::string& path) {
  const Progress& at = result.last.at;
  if (result.bad_rows > 0) print(skipped(result.bad_rows) + "\n");
  print(threshold_line(result.model));
  if (result.model.certificate) {
    for (const std::string& line : certificate_lines(result.model)) print(line + "\n");
  }
  print(fmt::format("model: {} ({}; {} of {} {}, {}), {:.2f} s of learning in total\n", path,
                    learned_from(result), thousands(at.nonzeros), thousands(at.dimension),
                    result.model.classes.empty() ? "features" : "weights", percent(at.density()),
                    result.choice->seconds + at.seconds));
}

// Shows what train() does while it does it.
class ChoiceReport : public TrainObserver {
 public:
  ChoiceReport(const TrainCommand& c, const Problem& problem, const Options& options)
      : c_(c),
        problem_(problem),
        task_(options.task),
        kind_(error_kind(options)),
        meter_(learns_one_size(c) ? "choosing settings" : "learning models of all sizes",
               c.out.quiet),
        progress_(c.out.quiet || c.out.json, options.passes) {}

  void on_sizes(const SelectObserver::Progress& progress) override { meter_.on_progress(progress); }
  void on_choice(const SizeChoice& choice) override {
    meter_.clear();
    if (!c_.out.json && !c_.out.quiet) {
      print(rows_line(choice));
      print(table_of(choice, remark_on(c_, choice, task_), kind_, as_good_of(c_.by)));
    }
    tell_warnings(choice.warnings);
  }
  Observer* last_run() override { return &progress_; }
  void clear() {
    meter_.clear();
    progress_.clear();
  }

 private:
  std::string rows_line(const SizeChoice& choice) const {
    const std::uint64_t rows = choice.chosen.last.valid_rows;
    if (choice.folds > 0) {
      return fmt::format("{} rows, each held out once in {} folds{}\n",
                         thousands(rows / choice.repeats), choice.folds,
                         choice.repeats > 1 ? fmt::format(", {} times", choice.repeats) : "");
    }
    return fmt::format("{} {} held out, {} to learn from\n", thousands(rows),
                       rows == 1 ? "row" : "rows",
                       c_.valid.empty() ? "the others" : problem_.train->name());
  }

  const TrainCommand& c_;
  const Problem& problem_;
  Task task_;
  ErrorKind kind_;
  SelectMeter meter_;
  TrainProgress progress_;
};

// Learns, with what is shown on the way gone from the terminal before anything else is said.
Trained train_watched(const TrainCommand& c, const Problem& problem, const TrainOptions& options) {
  ChoiceReport watch(c, problem, options);
  try {
    Trained trained = thresh::train(problem, options, &watch);
    watch.clear();
    return trained;
  } catch (const LimitMissed& missed) {
    watch.clear();
    throw Error(fmt::format("{}; no model was written", missed.what()));
  }
}

}  // namespace

void train_by_choice(const TrainCommand& c) {
  if (const std::string name = single_run_option(c); !name.empty()) {
    throw UsageError(fmt::format("{} requires --features or --density", name));
  }
  TrainOptions options;
  static_cast<Options&>(options) = training_options(c);
  set_certify(c, options);
  // Now, or it fails after the learning.
  if (!c.max_error.empty()) options.max_error = parse_error_limit(c, error_kind(options));
  check_holdout(c, options);
  options.as_good = as_good_of(c.by);
  const std::string path = model_path(c);
  const Problem problem = open_data(c, options.solver_options.contains("slices"));
  check_names(c, problem);
  if (c.certify) check_certifiable(options, *problem.train);
  Trained trained = train_watched(c, problem, options);
  if (!writes_outputs()) return;
  const std::string uncertified = add_certificate(c, problem, trained);
  keep_model(c, problem, trained, path);
  if (!trained.choice) {  // too few rows to hold some out
    report_run(c, trained, path);
  } else if (c.out.json) {
    report_json(trained, path);
  } else if (!c.out.quiet) {
    report(trained, path);
  }
  tell_end(trained, path, uncertified);
}

}  // namespace thresh::cli
