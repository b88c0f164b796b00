// Chooses between models by their scores on the same held-out rows.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "select/paired.hpp"
#include "select/size_curve.hpp"
#include "thresh/select.hpp"

namespace thresh {

namespace {

// The measure that makes a model as good as the best one.
Measure measure_of(AsGood as_good, bool by_loss) {
  switch (as_good) {
    case AsGood::loss:
      return Measure::loss;
    case AsGood::auc:
      return Measure::auc;
    case AsGood::f1:
      return Measure::f1;
    case AsGood::rmse:
      return Measure::rmse;
    case AsGood::error:
      return Measure::error;
    case AsGood::both:
      break;
  }
  return by_loss ? Measure::loss : Measure::error;
}

// The one that chooses the best model of all.
Measure deciding(AsGood as_good, const Frontier& frontier) {
  return as_good == AsGood::both ? usual_measure(frontier) : measure_of(as_good, frontier.by_loss);
}

// A difference of fewer standard errors may be chance.
constexpr double kSignificant = 2;

// The best model by a measure.
struct Reference {
  Measure by;
  SizedResult best;
  double slack;  // a difference up to this does not count
};

bool is_near(const SizedResult& model, const Reference& reference, std::uint64_t repeats) {
  const auto& rows = model.last.row_scores;
  const auto& best = reference.best.last.row_scores;
  if (rows && best && rows->losses.size() == best->losses.size()) {
    const Difference worse = difference_of(*rows, *best, reference.by, repeats);
    return worse.mean <= std::max(kSignificant * worse.se, reference.slack);
  }
  const double se = reference.best.last.valid_error_se.value_or(0);
  return score_of(model, reference.by) <=
         score_of(reference.best, reference.by) + std::max(se, reference.slack);
}

std::vector<const SizedResult*> candidates_of(const Frontier& frontier) {
  std::vector<const SizedResult*> all;
  if (frontier.constant) all.push_back(&*frontier.constant);
  for (const SizedResult& model : frontier.tried) all.push_back(&model);
  return all;
}

const SizedResult& best_by(const std::vector<const SizedResult*>& all, Measure by) {
  return **std::min_element(all.begin(), all.end(), [&](const auto* a, const auto* b) {
    return std::pair(score_of(*a, by), a->budget) < std::pair(score_of(*b, by), b->budget);
  });
}

Reference reference_of(const Frontier& frontier, Measure by) {
  const std::vector<const SizedResult*> all = candidates_of(frontier);
  double worst = 0;
  for (const SizedResult* model : all) worst = std::max(worst, score_of(*model, by));
  // If a model fits exactly, so do larger ones. Differences of about 1e-17 are noise.
  return {by, best_by(all, by), 1e-12 * worst};
}

}  // namespace

SizedResult best_of_all(const Frontier& frontier, AsGood as_good) {
  const std::vector<const SizedResult*> all = candidates_of(frontier);
  const SizedResult& best = best_by(all, deciding(as_good, frontier));
  if (as_good != AsGood::both || frontier.task == Task::regression) return best;
  // The lowest loss may come with many errors where one class is rare.
  std::vector<const SizedResult*> fewer;
  for (const SizedResult* model : all) {
    if (has_fewer_errors(*model, best, frontier.repeats)) fewer.push_back(model);
  }
  return fewer.empty() ? best : best_by(fewer, Measure::error);
}

std::optional<double> measured(const SizedResult& model, AsGood as_good) {
  const auto& rows = model.last.row_scores;
  if ((as_good != AsGood::auc && as_good != AsGood::f1) || !rows || rows->margins.empty()) {
    return std::nullopt;
  }
  return 1 - measure(*rows, measure_of(as_good, false)).value;
}

SizedResult smallest_near_best(const Frontier& frontier, AsGood as_good) {
  if (as_good == AsGood::both) {
    if (const auto chosen = smallest_on_curve(frontier)) return *chosen;
  }
  const Reference reference = reference_of(frontier, measure_of(as_good, frontier.by_loss));
  const Measure tie =
      as_good == AsGood::error ? usual_measure(frontier) : deciding(as_good, frontier);
  const SizedResult* smallest = nullptr;
  for (const SizedResult* model : candidates_of(frontier)) {
    if (!is_near(*model, reference, frontier.repeats)) continue;
    const bool smaller = smallest == nullptr || model->budget < smallest->budget;
    const bool better = !smaller && model->budget == smallest->budget && model->last.valid_loss &&
                        score_of(*model, tie) < score_of(*smallest, tie);
    if (smaller || better) smallest = model;
  }
  return *smallest;
}

}  // namespace thresh
