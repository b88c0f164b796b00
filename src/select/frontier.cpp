// The error for every number of features: models of many budgets, learned in one run where the
// solver can, and the choice between them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "data/number.hpp"
#include "select/side_by_side.hpp"
#include "solvers/budget/plan.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

std::uint64_t parse_budget(const std::string& part, std::uint64_t dimension) {
  const std::string text = part + "\n";
  const char* p = text.data();
  double number = 0;
  const bool is_number = parse_number(p, p + part.size(), number) && std::isfinite(number);
  const bool share = *p == '%';
  const bool ends = share ? p[1] == '\n' : *p == '\n';
  const bool fits = share ? number <= 100 : number == std::floor(number) && number < 1e15;
  if (!is_number || !ends || !fits || number <= 0) {
    throw UsageError(fmt::format("--budgets {}: use numbers of features, or percentages", part));
  }
  // The same slack as for --density.
  const double features =
      share ? number / 100 * static_cast<double>(dimension) * (1 + 1e-12) : number;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(features));
}

// One run that records all budgets on its way to the smallest.
Options one_run(const Problem& problem, Options options,
                const std::vector<std::uint64_t>& budgets) {
  const Survey* survey = problem.train->survey();
  const std::uint64_t rows = survey != nullptr ? survey->rows : 0;
  options.features = budgets.front();
  options.budgets.assign(budgets.begin() + 1, budgets.end());
  if (options.passes == 0) {
    options.passes = stages_for(budgets, sharing_classes(problem, options));
    if (rows > 0 && rows < kLeastStage) options.passes *= (kLeastStage + rows - 1) / rows;
  }
  return options;
}

bool in_one_run(const Options& options) {
  return find_solver(options.solver).info.frontier && options.multiclass == Multiclass::one_vs_rest;
}

// What held-out rows may choose between: how far rare features go is a matter of the data.
std::vector<Settings> variants_of(const Problem& problem, const Options& options) {
  const bool judged = options.holdout > 0 || options.folds > 0 || problem.valid != nullptr;
  const bool open = options.solver == "budget" && !options.own.contains("beta");
  if (!judged || !open) return {{}};
  return {{{"beta", "0.1"}}, {{"beta", "1"}}};
}

// Runs that together give a model for each budget, in order, with each of these settings. Where
// there are several of these, there is one run, which makes models with all of them.
struct Series {
  std::vector<Settings> settings;
  std::vector<Options> runs;
};

Options with_settings(Options options, const Settings& settings) {
  for (const auto& [name, value] : settings) set_option(options, name, value);
  return options;
}

std::vector<Series> series_of(const Problem& problem, const Options& options,
                              const std::vector<std::uint64_t>& budgets) {
  Options base = options;
  base.density.reset();
  judge_as_asked(base);
  const std::vector<Settings> variants = variants_of(problem, options);
  std::vector<Series> all;
  if (in_one_run(base)) {
    for (std::size_t i = 0; i + 1 < variants.size(); ++i) {
      base.betas.push_back(std::stod(variants[i].front().second));
    }
    all.push_back({variants, {one_run(problem, with_settings(base, variants.back()), budgets)}});
  } else {
    for (const Settings& settings : variants) {
      Series& series = all.emplace_back(Series{{settings}, {}});
      for (const std::uint64_t budget : budgets) {
        series.runs.push_back(with_settings(base, settings));
        series.runs.back().features = budget;
      }
    }
  }
  for (const Series& series : all) {
    for (const Options& run : series.runs) check_options(run);
  }
  return all;
}

bool is_better(const FrontierPoint& a, const FrontierPoint& b) {
  return a.last.valid_loss && *a.last.valid_loss < *b.last.valid_loss;
}

// Takes the models of a series over, where they are better than those that are there.
void gather(const Series& series, const std::vector<std::uint64_t>& budgets,
            std::span<FitResult> results, Frontier& frontier) {
  std::vector<FrontierPoint> points;  // the smallest first; of each size the last settings first
  for (FitResult& result : results) {
    frontier.seconds += result.last.at.seconds;
    if (result.status.outcome == Outcome::diverged) {
      frontier.failure = "diverged: " + result.status.reason;
    }
    points.push_back({0, result.last, std::move(result.model), {}});
    for (auto recorded = result.recorded.rbegin(); recorded != result.recorded.rend(); ++recorded) {
      points.push_back({0, recorded->last, std::move(recorded->model), {}});
    }
  }
  if (!frontier.failure.empty()) return frontier.points.clear();
  const std::size_t variants = series.settings.size();
  frontier.points.resize(budgets.size());
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    for (std::size_t v = 0; v < variants; ++v) {
      FrontierPoint& point = points.at((i + 1) * variants - 1 - v);
      point.budget = budgets[i];
      point.settings = series.settings[v];
      FrontierPoint& best = frontier.points[i];
      if (best.budget == 0 || is_better(point, best)) best = std::move(point);
    }
  }
}

// More features than help are not used.
void use_the_best_within(std::vector<FrontierPoint>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!points[i].last.valid_loss || is_better(points[i], points[i - 1])) continue;
    const std::uint64_t budget = points[i].budget;
    points[i] = points[i - 1];
    points[i].budget = budget;
  }
}

}  // namespace

std::uint64_t sharing_classes(const Problem& problem, const Options& options) {
  const Survey* survey = problem.train->survey();
  if (!options.shared_budget || options.task != Task::classification || survey == nullptr) return 1;
  return survey->labels.size() > 2 ? survey->labels.size() : 1;
}

std::vector<std::uint64_t> parse_budgets(const std::string& text, std::uint64_t dimension) {
  std::vector<std::uint64_t> budgets;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    budgets.push_back(parse_budget(text.substr(begin, end - begin), dimension));
    begin = end + 1;
  }
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

std::vector<std::uint64_t> usual_budgets(std::uint64_t dimension) {
  std::vector<std::uint64_t> budgets;
  for (std::uint64_t ten = dimension < 1000 ? 1 : 10; ten < dimension; ten *= 10) {
    for (const std::uint64_t digit : {1, 2, 5}) {
      if (digit * ten < dimension) budgets.push_back(digit * ten);
    }
  }
  budgets.push_back(std::max<std::uint64_t>(1, dimension));
  return budgets;
}

std::vector<Frontier> learn_frontiers(const Problem& problem, const std::vector<Options>& solvers,
                                      const std::vector<std::uint64_t>& budgets,
                                      SelectObserver& observer) {
  std::vector<std::vector<Series>> all;  // by solver
  std::vector<Options> runs;
  for (const Options& options : solvers) {
    all.push_back(series_of(problem, options, budgets));
    for (const Series& series : all.back()) {
      runs.insert(runs.end(), series.runs.begin(), series.runs.end());
    }
  }
  std::vector<FitResult> results = fit_all(problem, runs, observer);
  std::span<FitResult> left(results);
  std::vector<Frontier> frontiers;
  for (const std::vector<Series>& of_solver : all) {
    Frontier& frontier = frontiers.emplace_back();
    frontier.solver = of_solver.front().runs.front().solver;
    for (const Series& series : of_solver) {
      gather(series, budgets, left.first(series.runs.size()), frontier);
      left = left.subspan(series.runs.size());
    }
    use_the_best_within(frontier.points);
  }
  return frontiers;
}

std::size_t smallest_near_best(const Frontier& frontier) {
  const auto error = [](const FrontierPoint& point) { return point.last.valid_error.value_or(0); };
  const auto best = std::min_element(
      frontier.points.begin(), frontier.points.end(),
      [&](const FrontierPoint& a, const FrontierPoint& b) { return error(a) < error(b); });
  return *smallest_within(frontier, error(*best) + best->last.valid_error_se.value_or(0));
}

std::optional<std::size_t> smallest_within(const Frontier& frontier, double error) {
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    if (frontier.points[i].last.valid_error.value_or(0) <= error) return i;
  }
  return std::nullopt;
}

}  // namespace thresh
