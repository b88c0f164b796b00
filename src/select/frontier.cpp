// Computes the error for every number of features, with models of many budgets from one run if the
// solver supports that, and selects one of the models.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "select/paired.hpp"
#include "select/side_by_side.hpp"
#include "select/upward.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

std::uint64_t parse_budget(const std::string& part, std::uint64_t dimension) {
  const bool share = part.ends_with('%');
  const double number =
      parse_finite(std::string_view(part).substr(0, part.size() - (share ? 1 : 0))).value_or(0);
  const bool fits = share ? number <= 100 : number == std::floor(number) && number < 1e15;
  if (!fits || number <= 0) {
    throw UsageError(fmt::format("--budgets {}: use numbers of features, or percentages", part));
  }
  // The same tolerance as for --density.
  const double features =
      share ? number / 100 * static_cast<double>(dimension) * (1 + 1e-12) : number;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(features));
}

bool in_one_run(const Options& options) {
  return find_solver(options.solver).info.many_sizes &&
         options.multiclass == Multiclass::one_vs_rest;
}

// The variants among which held-out rows select.
std::vector<Settings> variants_of(const Problem& problem, const Options& options) {
  const bool judged = options.holdout > 0 || options.folds > 0 || problem.valid != nullptr;
  const std::vector<std::string>& betas = find_solver(options.solver).betas;
  const bool set =
      options.solver_options.contains("beta") || options.solver_options.contains("ridge");
  if (!judged || betas.empty() || set) return {{}};
  std::vector<Settings> variants;
  variants.reserve(betas.size());
  for (const std::string& beta : betas) variants.push_back({{"beta", beta}});
  return variants;
}

// Runs that together give a model for each budget, in order, with each of these settings. If there
// are several settings, one run makes the models for all of them.
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
  hold_out_by_options(base);
  const std::vector<Settings> variants = variants_of(problem, options);
  std::vector<Series> all;
  if (in_one_run(base)) {
    for (std::size_t i = 0; i + 1 < variants.size(); ++i) {
      base.betas.push_back(to_number("beta", variants[i].front().second));
    }
    // One run that records models for all budgets on its way to the smallest.
    base.features = budgets.front();
    base.budgets.assign(budgets.begin() + 1, budgets.end());
    base.polish = variants.size() > 1;
    base.score_rows = base.score_rows || base.polish;
    all.push_back({variants, {with_settings(base, variants.back())}});
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

bool is_better(const SizedResult& a, const SizedResult& b, Measure by) {
  return a.last.valid_loss && score_of(a, by) < score_of(b, by);
}

// Whether the features beyond those of the smaller model are worth having: the loss must fall, or
// there must be clearly fewer errors. But among few held-out rows chance decides small differences,
// and one lucky small model would replace all larger ones; there, they are worth having unless the
// smaller model is clearly better.
bool help(const SizedResult& larger, const SizedResult& smaller, const Frontier& frontier) {
  const Measure by = usual_measure(frontier);
  if (frontier.task == Task::classification) {
    if (has_fewer_errors(larger, smaller)) return true;
    if (has_fewer_errors(smaller, larger)) return false;
  }
  constexpr std::uint64_t kFewRows = 100;
  const bool rows_are_known = larger.last.row_scores && smaller.last.row_scores;
  if (!rows_are_known || larger.last.valid_rows >= kFewRows) return is_better(larger, smaller, by);
  return !is_clearly_better(smaller, larger, by);
}

// Adds the models of one setting. Each replaces the one of its budget if it is better. Some budgets
// may have none.
void add_curve(std::vector<FrontierPoint> curve, const std::vector<std::uint64_t>& budgets,
               Frontier& frontier) {
  const Measure by = usual_measure(frontier);
  frontier.tried.insert(frontier.tried.end(), curve.begin(), curve.end());
  frontier.points.resize(budgets.size());
  for (FrontierPoint& point : curve) {
    const auto at = std::lower_bound(budgets.begin(), budgets.end(), point.budget);
    FrontierPoint& best = frontier.points[static_cast<std::size_t>(at - budgets.begin())];
    if (best.budget == 0 || is_better(point, best, by)) best = std::move(point);
  }
}

void add_fitted(std::vector<std::optional<Polished>>& fitted,
                const std::vector<std::uint64_t>& budgets, bool must_be_clearly_better,
                Frontier& frontier) {
  if (fitted.empty()) return;
  const Measure by = usual_measure(frontier);
  std::vector<FrontierPoint> curve;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    std::optional<Polished>& fit = fitted[budgets.size() - 1 - i];
    if (!fit) continue;
    SizedResult point{budgets[i], fit->last, fit->options()};
    if (must_be_clearly_better && !is_clearly_better(point, frontier.points[i], by)) continue;
    curve.push_back({point, std::move(fit->model)});
  }
  add_curve(std::move(curve), budgets, frontier);
}

// Models with few errors have a higher loss than others of their size: each replaces the model of
// its budget only if it makes clearly fewer errors on the held-out rows.
void add_by_errors(std::vector<std::optional<Polished>>& fitted,
                   const std::vector<std::uint64_t>& budgets, Frontier& frontier) {
  for (std::size_t i = 0; i < budgets.size() && !fitted.empty(); ++i) {
    std::optional<Polished>& fit = fitted[budgets.size() - 1 - i];
    if (!fit) continue;
    const SizedResult point{budgets[i], fit->last, fit->options()};
    frontier.tried.push_back(point);
    FrontierPoint& best = frontier.points[i];
    if (has_fewer_errors(point, best)) best = {point, std::move(fit->model)};
  }
}

// A polished model must be clearly better than the others of its size: it has one more setting that
// held-out rows choose, and few of them may choose it by chance. Not in a fold, whose models are
// judged together with those of the other folds.
void add_polished(FitResult& result, const std::vector<std::uint64_t>& budgets, bool take_all,
                  Frontier& frontier) {
  if (result.polished.empty()) return;
  if (const std::optional<Polished>& constant = result.polished.back()) {
    frontier.constant = SizedResult{0, constant->last, {}};
  }
  add_fitted(result.polished, budgets, !take_all, frontier);
  add_fitted(result.pruned, budgets, false, frontier);
  add_fitted(result.contrasted, budgets, false, frontier);
  add_by_errors(result.by_errors, budgets, frontier);
}

void gather(const Series& series, const std::vector<std::uint64_t>& budgets,
            std::span<FitResult> results, Frontier& frontier) {
  std::vector<FrontierPoint> points;  // smallest size first; within a size, last settings first
  for (FitResult& result : results) {
    frontier.seconds += result.last.at.seconds;
    add_warnings(frontier.warnings, result.warnings);
    const auto add = [&](const TracePoint& last, Model& model) {
      if (frontier.failure.empty()) frontier.failure = failure_of(result.status, last);
      points.push_back({{0, last, {}}, std::move(model)});
    };
    add(result.last, result.model);
    for (std::size_t i = result.recorded.size(); i-- > 0;) {
      add(result.recorded[i].last, result.recorded[i].model);
    }
  }
  if (!frontier.failure.empty()) {
    frontier.points.clear();
    frontier.tried.clear();
    return;
  }
  const std::size_t variants = series.settings.size();
  for (std::size_t v = 0; v < variants; ++v) {
    std::vector<FrontierPoint> curve;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      FrontierPoint& point = curve.emplace_back(std::move(points.at((i + 1) * variants - 1 - v)));
      point.budget = budgets[i];
      point.settings = series.settings[v];
    }
    add_curve(std::move(curve), budgets, frontier);
  }
  // Those with a ridge are the only ones that can be certified.
  const bool take_all = series.runs.front().folds > 0 || series.runs.front().certify;
  for (FitResult& result : results) add_polished(result, budgets, take_all, frontier);
  use_the_best_within(frontier);
}

}  // namespace

bool is_clearly_better(const SizedResult& a, const SizedResult& b, Measure by) {
  if (!a.last.row_scores || !b.last.row_scores) return is_better(a, b, by);
  const Difference worse = difference_of(*a.last.row_scores, *b.last.row_scores, by, 1);
  return worse.mean < -worse.se;
}

void use_the_best_within(Frontier& frontier) {
  std::vector<FrontierPoint>& points = frontier.points;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!points[i].last.valid_loss || help(points[i], points[i - 1], frontier)) continue;
    const std::uint64_t budget = points[i].budget;
    points[i] = points[i - 1];
    points[i].budget = budget;
  }
}

std::uint64_t sharing_classes(const Problem& problem, const Options& options) {
  return sharing_classes(options, problem.train->survey());
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
    frontier.task = of_solver.front().runs.front().task;
    frontier.by_loss = loss_decides(of_solver.front().runs.front());
    for (const Series& series : of_solver) {
      gather(series, budgets, left.first(series.runs.size()), frontier);
      left = left.subspan(series.runs.size());
    }
  }
  return frontiers;
}

std::optional<SizedResult> smallest_within(const Frontier& frontier, double error) {
  const Measure by = usual_measure(frontier);
  const SizedResult* smallest = nullptr;
  for (const SizedResult& model : frontier.tried) {
    if (model.last.valid_error.value_or(0) > error) continue;
    const bool first = smallest == nullptr || model.budget < smallest->budget;
    if (first || (model.budget == smallest->budget && is_better(model, *smallest, by))) {
      smallest = &model;
    }
  }
  return smallest != nullptr ? std::optional(*smallest) : std::nullopt;
}

}  // namespace thresh
