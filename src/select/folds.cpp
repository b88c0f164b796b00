// Judges models of all sizes by repeated cross-validation, for data with few rows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "select/paired.hpp"
#include "select/side_by_side.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

// What the models of all folds have in common: a beta, or a ridge, which every fold chooses itself,
// alone or with a value of prune.
std::string kind_of(const SizedResult& model) {
  if (model.settings.empty()) return "";
  const auto& [name, value] = model.settings.front();
  if (name == "ridge") return model.settings.back().first;
  return name + "=" + value;
}

bool has_ridge(const SizedResult& model) {
  return !model.settings.empty() && model.settings.front().first == "ridge";
}

// The middle one of the folds' ridges, with the value of prune that belongs to it.
Settings settings_of(std::vector<const SizedResult*> folds) {
  if (!has_ridge(*folds.front())) return folds.front()->settings;
  const auto ridge = [](const SizedResult* model) {
    return std::stod(model->settings.front().second);
  };
  const auto middle = folds.begin() + static_cast<std::ptrdiff_t>(folds.size() / 2);
  std::nth_element(folds.begin(), middle, folds.end(),
                   [&](const auto* a, const auto* b) { return ridge(a) < ridge(b); });
  return (*middle)->settings;
}

// The scores on the rows of all folds, one fold after the other.
SizedResult combined(const std::vector<const SizedResult*>& folds, const Options& options,
                     std::uint64_t repeats) {
  SizedResult all = *folds.front();
  TracePoint& sum = all.last;
  auto rows = std::make_shared<RowScores>();
  double loss = 0;
  double error = 0;
  double variance = 0;
  const bool is_rmse = error_kind(options) == ErrorKind::rmse;
  sum.valid_rows = 0;
  sum.valid_weight = 0;
  std::uint64_t nonzeros = 0;
  for (const SizedResult* fold : folds) {
    const TracePoint& last = fold->last;
    loss += last.valid_weight * *last.valid_loss;
    error += last.valid_weight * (is_rmse ? *last.valid_error : 1) * *last.valid_error;
    const double spread = last.valid_weight * *last.valid_error_se;
    variance += spread * spread;
    sum.valid_weight += last.valid_weight;
    sum.valid_rows += last.valid_rows;
    nonzeros += last.at.nonzeros;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(rows->losses, last.row_scores->losses);
    append(rows->misses, last.row_scores->misses);
    append(rows->weights, last.row_scores->weights);
    append(rows->margins, last.row_scores->margins);
    append(rows->labels, last.row_scores->labels);
    append(rows->ids, last.row_scores->ids);
  }
  sum.valid_loss = loss / sum.valid_weight;
  sum.valid_error = is_rmse ? std::sqrt(error / sum.valid_weight) : error / sum.valid_weight;
  // Scores of the same row in several repeats are not independent.
  sum.valid_error_se = std::sqrt(variance * static_cast<double>(repeats)) / sum.valid_weight;
  sum.at.nonzeros = nonzeros / folds.size();
  sum.row_scores = std::move(rows);
  all.settings = settings_of(folds);
  return all;
}

}  // namespace

Frontier learn_frontier_in_folds(const Problem& problem, const Options& options,
                                 const std::vector<std::uint64_t>& budgets, std::uint64_t folds,
                                 std::uint64_t repeats, SelectObserver& observer) {
  std::vector<Options> runs;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::uint64_t fold = 0; fold < folds; ++fold) {
      Options& run = runs.emplace_back(options);
      run.holdout = 0;
      run.folds = folds;
      run.fold = fold;
      run.seed = options.seed + repeat;
      run.score_rows = true;
    }
  }
  const std::vector<Frontier> all = learn_frontiers(problem, runs, budgets, observer);
  Frontier frontier;
  frontier.solver = options.solver;
  frontier.task = options.task;
  frontier.by_loss = loss_decides(options);
  frontier.repeats = repeats;
  std::map<std::pair<std::uint64_t, std::string>, std::vector<const SizedResult*>> settings;
  std::vector<const SizedResult*> constants;
  for (const Frontier& fold : all) {
    frontier.seconds += fold.seconds;
    add_warnings(frontier.warnings, fold.warnings);
    if (frontier.failure.empty()) frontier.failure = fold.failure;
    for (const SizedResult& model : fold.tried) {
      settings[{model.budget, kind_of(model)}].push_back(&model);
    }
    if (fold.constant) constants.push_back(&*fold.constant);
  }
  if (!frontier.failure.empty()) return frontier;
  for (const auto& [setting, models] : settings) {
    if (models.size() == all.size()) frontier.tried.push_back(combined(models, options, repeats));
  }
  if (constants.size() == all.size()) frontier.constant = combined(constants, options, repeats);
  const Measure by = usual_measure(options.task, loss_decides(options));
  for (const std::uint64_t budget : budgets) {
    const SizedResult* best = frontier.points.empty() ? nullptr : &frontier.points.back();
    for (const SizedResult& model : frontier.tried) {
      if (model.budget != budget) continue;
      if (best == nullptr || score_of(model, by) < score_of(*best, by)) best = &model;
    }
    if (best == nullptr) continue;
    FrontierPoint point;
    static_cast<SizedResult&>(point) = *best;
    point.budget = budget;
    frontier.points.push_back(std::move(point));
  }
  return frontier;
}

}  // namespace thresh
