#include "select/size_curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace thresh {
namespace {

// Of few sizes those beside it are most of the curve. Among few columns no luck is needed to find
// the best ones, either.
constexpr std::size_t kLeastSizes = 7;
constexpr std::size_t kReach = 2;  // sizes on either side that count
constexpr double kClosest = 3;     // the weight of a size in its own mean; 2 and 1 of the others
// Of a size that differs by more standard errors less counts: there the curve is steep, and no
// chance made the difference.
constexpr double kMostErrors = 4;

// A score may be higher by these shares of what the best model gains over the constant one, and of
// the best score: the smaller of the two, which is the latter where the best model is nearly
// perfect. In any case by the last: a loss falls without end where classes can be separated.
constexpr double kOfGain = 0.01;
constexpr double kOfScore = 0.1;
constexpr double kLeastOfGain = 0.002;
// It may be higher by so many standard errors of the difference, too.
constexpr double kErrors = 0.5;
// The best of many models gains by chance, so it must be better than none by more.
constexpr double kErrorsOfConstant = 2;

struct Size {
  const SizedResult* model;  // with the lowest score of this size
  RowScores rows;
  double score = 0;
};

std::vector<float>& values_of(RowScores& rows, Measure by) {
  return by == Measure::loss ? rows.losses : rows.misses;
}

std::vector<Size> best_of_sizes(const Frontier& frontier, Measure by) {
  std::map<std::uint64_t, const SizedResult*> best;
  for (const SizedResult& model : frontier.tried) {
    const SizedResult*& kept = best[model.budget];
    if (kept == nullptr || score_of(model, by) < score_of(*kept, by)) kept = &model;
  }
  std::vector<Size> sizes;
  for (const auto& [budget, model] : best) sizes.push_back({model, *model->last.row_scores});
  return sizes;
}

// How much a size that differs by so much counts, of 1. Influence falls to nothing with distance.
double share_of(const Difference& apart) {
  const double far = std::fabs(apart.mean);
  const double most = kMostErrors * apart.se;
  return far <= most ? 1 : (most / far) * (most / far) * (most / far);
}

// The scores of the rows, moved towards those of the sizes beside it.
RowScores averaged(const std::vector<Size>& sizes, std::size_t at, Measure by,
                   std::uint64_t repeats) {
  RowScores mean = sizes[at].rows;
  const std::vector<float> own = values_of(mean, by);
  std::vector<double> moves(own.size());
  double weight = kClosest;
  const std::size_t end = std::min(sizes.size(), at + kReach + 1);
  for (std::size_t k = at - std::min(at, kReach); k < end; ++k) {
    if (k == at) continue;
    RowScores other = sizes[k].rows;
    const double closeness = kClosest - static_cast<double>(k < at ? at - k : k - at);
    const double share = closeness * share_of(difference_of(other, sizes[at].rows, by, repeats));
    const std::vector<float>& theirs = values_of(other, by);
    for (std::size_t i = 0; i < own.size(); ++i) {
      moves[i] += share * (static_cast<double>(theirs[i]) - static_cast<double>(own[i]));
    }
    weight += closeness;
  }
  std::vector<float>& values = values_of(mean, by);
  for (std::size_t i = 0; i < own.size(); ++i) {
    values[i] = static_cast<float>(static_cast<double>(own[i]) + moves[i] / weight);
  }
  return mean;
}

std::vector<Size> curve_of(const Frontier& frontier, Measure by) {
  const std::vector<Size> sizes = best_of_sizes(frontier, by);
  std::vector<Size> curve = sizes;
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    if (sizes.size() >= kLeastSizes) curve[at].rows = averaged(sizes, at, by, frontier.repeats);
    curve[at].score = measure(curve[at].rows, by).value;
  }
  return curve;
}

bool have_scores_of_rows(const Frontier& frontier) {
  const auto& first = frontier.constant->last.row_scores;
  const auto has_same_rows = [&](const SizedResult& model) {
    const auto& rows = model.last.row_scores;
    return rows && rows->losses.size() == first->losses.size();
  };
  return first && !first->losses.empty() &&
         std::all_of(frontier.tried.begin(), frontier.tried.end(), has_same_rows);
}

}  // namespace

std::optional<SizedResult> smallest_on_curve(const Frontier& frontier) {
  if (!frontier.constant || !have_scores_of_rows(frontier)) return std::nullopt;
  if (frontier.tried.empty()) return frontier.constant;
  const Measure by = usual_measure(frontier);
  const std::vector<Size> sizes = curve_of(frontier, by);
  const Size& best = *std::min_element(
      sizes.begin(), sizes.end(), [](const Size& a, const Size& b) { return a.score < b.score; });
  const auto excess = [&](const RowScores& rows) {
    return difference_of(rows, best.rows, by, frontier.repeats);
  };
  const Difference gain = excess(*frontier.constant->last.row_scores);
  if (gain.mean <= kErrorsOfConstant * gain.se) return frontier.constant;
  // A loss that was chosen for numbers has no natural zero.
  const double of_score = frontier.by_loss ? kOfGain * gain.mean : kOfScore * best.score;
  const double slack = std::max(kLeastOfGain * gain.mean, std::min(kOfGain * gain.mean, of_score));
  const auto smallest = std::find_if(sizes.begin(), sizes.end(), [&](const Size& size) {
    const Difference worse = excess(size.rows);
    return worse.mean <= std::max(kErrors * worse.se, slack);
  });
  return *smallest->model;
}

}  // namespace thresh
