// thresh train without a budget: models of many sizes in one run, the smallest good one of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontier.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {

std::uint64_t largest_budget(const Problem& problem, const Options& options) {
  const Survey* survey = problem.train->survey();
  return sharing_classes(problem, options) *
         std::max(options.dim, survey != nullptr ? survey->dimension : 0);
}

void hold_out_the_usual(const TrainCommand& c, Options& options) {
  if (c.given("--holdout") && options.holdout == 0) {
    throw UsageError("--holdout 0% leaves no rows to judge by");
  }
  if (options.holdout == 0 && c.valid.empty()) options.holdout = kUsualHoldout;
}

std::vector<std::uint64_t> usual_budgets_for(const Problem& problem, const Options& options) {
  const std::uint64_t kept =
      (options.keep.size() + options.keep_names.size()) * sharing_classes(problem, options);
  std::vector<std::uint64_t> budgets = usual_budgets(largest_budget(problem, options));
  std::erase_if(budgets, [&](std::uint64_t k) { return k < kept; });
  if (budgets.empty()) budgets.push_back(kept);
  return budgets;
}

std::string bar_table(const std::vector<std::string>& heading, const std::vector<BarRow>& rows) {
  constexpr double kWidth = 30;
  double longest = 0;
  for (const BarRow& row : rows) longest = std::max(longest, row.value);
  TextTable table;
  table.add(heading);
  for (const BarRow& row : rows) table.add(row.cells);
  const std::string text = table.text();
  std::string result;
  std::size_t begin = 0;
  for (std::size_t line = 0; begin < text.size(); ++line) {
    const std::size_t end = text.find('\n', begin);
    result += text.substr(begin, end - begin);
    if (line > 0) {
      const BarRow& row = rows[line - 1];
      const double share = longest > 0 ? row.value / longest : 0;
      result += fmt::format(
          "  {}", std::string(static_cast<std::size_t>(std::lround(kWidth * share)), '='));
      if (!row.remark.empty()) result += fmt::format(" {}", row.remark);
    }
    result += '\n';
    begin = end + 1;
  }
  return result;
}

namespace {

double parse_error_limit(const TrainCommand& c, Task task) {
  if (task == Task::classification) return parse_percent("--max-error", c.max_error);
  if (c.max_error.ends_with('%')) {
    throw UsageError(fmt::format(
        "--max-error {}: that of regression is a root mean squared error, in units of the target",
        c.max_error));
  }
  return parse_real("--max-error", c.max_error);
}

const Sized& best_of(const Frontier& frontier) {
  return *std::min_element(
      frontier.tried.begin(), frontier.tried.end(),
      [](const Sized& a, const Sized& b) { return *a.last.valid_error < *b.last.valid_error; });
}

Sized choose(const TrainCommand& c, const Frontier& frontier, Task task) {
  if (c.max_error.empty()) return smallest_near_best(frontier);
  const double limit = parse_error_limit(c, task);
  if (const auto chosen = smallest_within(frontier, limit)) return *chosen;
  const Sized& best = best_of(frontier);
  throw Error(
      fmt::format("no model has a validation error of at most {}: the best one has {} with {} "
                  "features; no model was written",
                  shown_error(limit, task), shown_error(*best.last.valid_error, task),
                  thousands(best.last.at.nonzeros)));
}

// What is shown: of each size the model with the lowest loss, but at its size the chosen one.
std::vector<Sized> curve_through(const Sized& chosen, const Frontier& frontier) {
  std::vector<Sized> curve;
  for (const Sized& point : frontier.points) {
    curve.push_back(point.budget == chosen.budget ? chosen : point);
  }
  return curve;
}

// Where one class is rare, a model that never predicts it may have as low an error as any.
void warn_of_rare_class(const Problem& problem, const Sized& chosen,
                        const std::vector<Sized>& curve) {
  const std::vector<LabelCount>& labels = problem.train->survey()->labels;
  if (labels.size() != 2) return;
  const auto [few, many] = std::minmax(labels[0].rows, labels[1].rows);
  const double share = static_cast<double>(few) / static_cast<double>(few + many);
  const auto by_loss = [](const Sized& a, const Sized& b) {
    return *a.last.valid_loss < *b.last.valid_loss;
  };
  const Sized& best = *std::min_element(curve.begin(), curve.end(), by_loss);
  constexpr double kRare = 0.2;
  if (share > kRare || *chosen.last.valid_error + *chosen.last.valid_error_se < share) return;
  if (*best.last.valid_loss > 0.9 * *chosen.last.valid_loss) return;
  tell_warnings(
      {fmt::format("the chosen model is hardly better than always saying the more frequent class "
                   "({} of the rows "
                   "are of the other); by their loss {} features are better: --features {}",
                   percent(share), thousands(best.last.at.nonzeros), best.budget)});
}

// The best model may be of a size that another one has the lower loss at, which is the one shown.
std::string remark_on(const TrainCommand& c, const std::vector<Sized>& curve, const Sized& best,
                      Task task) {
  if (!c.max_error.empty()) {
    return fmt::format("<- the smallest within --max-error {}", c.max_error);
  }
  const bool shown = std::any_of(curve.begin(), curve.end(), [&](const Sized& point) {
    return *point.last.valid_error == *best.last.valid_error;
  });
  return "<- the smallest within one standard error of the best" +
         (shown ? "" : ", " + shown_error(*best.last.valid_error, task));
}

std::string table_of(const std::vector<Sized>& curve, const Sized& chosen,
                     const std::string& remark, Task task) {
  std::vector<BarRow> rows;
  for (const Sized& point : curve) {
    const TracePoint& last = point.last;
    rows.push_back({{thousands(point.budget), thousands(last.at.nonzeros),
                     shown_error(Estimate{*last.valid_error, last.valid_error_se}, task),
                     fmt::format("{:.4g}", *last.valid_loss)},
                    *last.valid_error,
                    point.budget == chosen.budget ? remark : ""});
  }
  return bar_table(
      {"budget", "non-zeros", fmt::format("valid {}", error_heading(task)), "valid loss"}, rows);
}

Json to_json(const std::vector<Sized>& curve) {
  Json json = Json::array();
  for (const Sized& point : curve) {
    Json& entry = json.emplace_back();
    entry["features"] = point.budget;
    entry["nonzeros"] = point.last.at.nonzeros;
    entry["valid_error"] = or_null(point.last.valid_error);
    entry["valid_error_se"] = or_null(point.last.valid_error_se);
    entry["valid_loss"] = or_null(point.last.valid_loss);
  }
  return json;
}

void report_json(const FitResult& result, const std::string& path, const Sized& chosen,
                 const Sized& best, const std::vector<Sized>& curve) {
  Json json;
  json["model"] = path;
  json.update(Json::parse(result.model.summary));
  json["chosen"] = chosen.budget;
  json["best_valid_error"] = or_null(best.last.valid_error);
  json["bad_rows"] = result.bad_rows;
  json["options"] = Json::parse(result.model.options);
  json["frontier"] = to_json(curve);
  print_json(json);
}

// `before`: the seconds that the choice took.
void report(const FitResult& result, const std::string& path, double before) {
  const Progress& at = result.last.at;
  if (result.bad_rows > 0) print(skipped(result.bad_rows) + "\n");
  print(fmt::format("model: {} ({}; {} of {} {}, {}), {:.2f} s of learning in all\n", path,
                    learned_from(result), thousands(at.nonzeros), thousands(at.dimension),
                    result.model.classes.empty() ? "features" : "weights", percent(at.density()),
                    before + at.seconds));
}

// Options that belong to a single run.
void refuse_single_run_options(const TrainCommand& c) {
  for (const char* name : {"--from", "--trace", "--trace-at", "--calibrate", "--steps"}) {
    if (c.given(name)) {
      throw UsageError(fmt::format("{} goes with --features or --density", name));
    }
  }
}

}  // namespace

void train_by_choice(const TrainCommand& c) {
  refuse_single_run_options(c);
  Options options = read_options(c);
  if (!c.max_error.empty()) parse_error_limit(c, options.task);  // or it fails after the learning
  hold_out_the_usual(c, options);
  const std::string path = model_path(c);
  const Problem problem = open_data(c);
  check_names(c, problem);
  const std::vector<std::uint64_t> budgets = usual_budgets_for(problem, options);
  SelectMeter meter("learning models of all sizes", c.out.quiet);
  const Frontier frontier = learn_frontiers(problem, {options}, budgets, meter).front();
  meter.clear();
  if (!frontier.failure.empty()) {
    throw Error(fmt::format("{}: {}", frontier.solver, frontier.failure));
  }
  const Sized chosen = choose(c, frontier, options.task);
  const std::vector<Sized> curve = curve_through(chosen, frontier);
  if (!c.out.json && !c.out.quiet) {
    const std::uint64_t rows = chosen.last.valid_rows;
    print(fmt::format("{} {} held out, {} to learn from\n", thousands(rows),
                      rows == 1 ? "row" : "rows",
                      c.valid.empty() ? "the others" : problem.train->name()));
    print(table_of(curve, chosen, remark_on(c, curve, best_of(frontier), options.task),
                   options.task));
  }
  constexpr std::uint64_t kFew = 10;
  if (chosen.last.valid_rows < kFew) {
    tell_warnings(
        {"so few held-out rows can hardly choose a size: --features K says one, --valid "
         "FILE brings more rows"});
  }
  if (options.task == Task::classification) warn_of_rare_class(problem, chosen, curve);
  Options all = for_all_rows(options);
  all.features = chosen.budget;
  for (const auto& [name, value] : chosen.settings) set_option(all, name, value);
  const FitResult result = learn_from_all(c, problem, all, path);
  if (c.out.json) {
    report_json(result, path, chosen, best_of(frontier), curve);
  } else if (!c.out.quiet) {
    report(result, path, frontier.seconds);
  }
  tell_stop(result, path);
}

}  // namespace thresh::cli
