// Chooses between models by their scores on the same held-out rows.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "select/paired.hpp"
#include "thresh/select.hpp"

namespace thresh {

Difference difference_of(const RowScores& a, const RowScores& b, By by, std::uint64_t repeats) {
  const std::vector<float>& of_a = by == By::loss ? a.losses : a.misses;
  const std::vector<float>& of_b = by == By::loss ? b.losses : b.misses;
  const auto at = [&](std::size_t i) {
    return static_cast<double>(of_a[i]) - static_cast<double>(of_b[i]);
  };
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    sum += static_cast<double>(a.weights[i]) * at(i);
    weight += static_cast<double>(a.weights[i]);
  }
  if (weight == 0) return {};
  Difference difference{sum / weight, 0};
  double squares = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const double off = static_cast<double>(a.weights[i]) * (at(i) - difference.mean);
    squares += off * off;
  }
  difference.se = std::sqrt(squares * static_cast<double>(repeats)) / weight;
  return difference;
}

namespace {

// Lower is better.
double score_of(const SizedResult& model, By by) {
  const TracePoint& last = model.last;
  if (by == By::loss) return last.valid_loss.value_or(0);
  if (!last.row_scores || last.row_scores->misses.empty()) return last.valid_error.value_or(0);
  // For regression the misses are residuals, and their mean is more robust than an RMSE.
  double sum = 0;
  double weight = 0;
  const RowScores& rows = *last.row_scores;
  for (std::size_t i = 0; i < rows.misses.size(); ++i) {
    sum += static_cast<double>(rows.weights[i]) * static_cast<double>(rows.misses[i]);
    weight += static_cast<double>(rows.weights[i]);
  }
  return weight > 0 ? sum / weight : last.valid_error.value_or(0);
}

// A difference of fewer standard errors may be chance.
constexpr double kSignificant = 2;

// One criterion, with the best model by it.
struct Reference {
  By by;
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

const SizedResult& best_by(const std::vector<const SizedResult*>& all, By by) {
  return **std::min_element(all.begin(), all.end(), [&](const auto* a, const auto* b) {
    return std::pair(score_of(*a, by), a->budget) < std::pair(score_of(*b, by), b->budget);
  });
}

std::vector<Reference> references_of(const Frontier& frontier, AsGood as_good) {
  constexpr double kNegligible = 0.05;
  const std::vector<const SizedResult*> all = candidates_of(frontier);
  std::vector<Reference> references;
  for (const By by : {By::error, By::loss}) {
    if ((by == By::error && as_good == AsGood::loss) ||
        (by == By::loss && as_good == AsGood::error)) {
      continue;
    }
    const SizedResult& best = best_by(all, by);
    double worst = 0;
    for (const SizedResult* model : all) worst = std::max(worst, score_of(*model, by));
    // If a model fits exactly, so do larger ones. Differences of about 1e-17 are noise.
    double slack = 1e-12 * worst;
    if (as_good == AsGood::both && by == By::loss) {
      if (!frontier.constant) continue;
      slack += kNegligible * (score_of(*frontier.constant, by) - score_of(best, by));
    }
    references.push_back({by, best, slack});
  }
  return references;
}

}  // namespace

SizedResult best_of_all(const Frontier& frontier, AsGood as_good) {
  return best_by(candidates_of(frontier), as_good == AsGood::error ? By::error : By::loss);
}

SizedResult smallest_near_best(const Frontier& frontier, AsGood as_good) {
  const std::vector<Reference> references = references_of(frontier, as_good);
  const SizedResult* smallest = nullptr;
  for (const SizedResult* model : candidates_of(frontier)) {
    const bool near = std::all_of(references.begin(), references.end(), [&](const Reference& each) {
      return is_near(*model, each, frontier.repeats);
    });
    if (!near) continue;
    const bool smaller = smallest == nullptr || model->budget < smallest->budget;
    const bool better = !smaller && model->budget == smallest->budget && model->last.valid_loss &&
                        *model->last.valid_loss < *smallest->last.valid_loss;
    if (smaller || better) smallest = model;
  }
  // The best by error and the best by loss may be far apart.
  return smallest != nullptr ? *smallest : best_of_all(frontier, as_good);
}

}  // namespace thresh
