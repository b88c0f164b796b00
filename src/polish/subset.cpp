#include "polish/subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace thresh {
namespace {

constexpr std::size_t kRanked = 32;  // by their gain along a line
constexpr std::size_t kFitted = 4;
constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kTried = 8;  // features that may leave
constexpr int kMostSwaps = 50;
// A swap must lower the objective by this share of it: fits are exact to far less.
constexpr double kLeastGain = 1e-7;

bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t column) {
  return std::binary_search(sorted.begin(), sorted.end(), column);
}

// The subset with another column; the weights of the others are where a fit starts.
Subset with(const Subset& from, std::uint32_t column) {
  Subset more = from;
  const auto place = std::lower_bound(more.columns.begin(), more.columns.end(), column);
  more.model.weights.insert(more.model.weights.begin() + (place - more.columns.begin()), 0.0);
  more.columns.insert(place, column);
  return more;
}

Subset without(const Subset& from, std::size_t place) {
  Subset fewer = from;
  fewer.columns.erase(fewer.columns.begin() + static_cast<std::ptrdiff_t>(place));
  fewer.model.weights.erase(fewer.model.weights.begin() + static_cast<std::ptrdiff_t>(place));
  return fewer;
}

// The `count` largest scores, the first of equal ones first.
std::vector<std::uint32_t> largest(const std::vector<std::pair<double, std::uint32_t>>& scores,
                                   std::size_t count) {
  std::vector<std::pair<double, std::uint32_t>> sorted = scores;
  count = std::min(count, sorted.size());
  const auto before = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                    sorted.end(), before);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(sorted[i].second);
  return found;
}

}  // namespace

SubsetSearch::SubsetSearch(const SupportMatrix& candidates, std::span<const double> targets,
                           LossFunction loss, bool intercept, double ridge,
                           std::vector<std::uint32_t> kept)
    : candidates_(candidates),
      targets_(targets),
      loss_(loss),
      intercept_(intercept),
      ridge_(ridge),
      kept_(std::move(kept)),
      columns_(candidates.columns) {
  for (std::size_t i = 0; i < candidates_.rows(); ++i) {
    const SparseVector row = candidates_.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      columns_[row.at[k]].rows.push_back(static_cast<std::uint32_t>(i));
      columns_[row.at[k]].values.push_back(row.values[k]);
    }
  }
}

SupportMatrix SubsetSearch::rows_of(const std::vector<std::uint32_t>& columns) const {
  SupportMatrix part;
  part.columns = columns.size();
  part.labels = candidates_.labels;
  part.weights = candidates_.weights;
  part.starts.assign(candidates_.rows() + 1, 0);
  for (const std::uint32_t column : columns) {
    for (const std::uint32_t i : columns_[column].rows) ++part.starts[i + std::size_t{1}];
  }
  std::partial_sum(part.starts.begin(), part.starts.end(), part.starts.begin());
  part.at.resize(part.starts.back());
  part.values.resize(part.starts.back());
  std::vector<std::size_t> next(part.starts.begin(), part.starts.end() - 1);
  for (std::uint32_t place = 0; place < columns.size(); ++place) {
    const Column& x = columns_[columns[place]];
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      const std::size_t to = next[x.rows[k]]++;
      part.at[to] = place;
      part.values[to] = x.values[k];
    }
  }
  return part;
}

Subset SubsetSearch::fit(std::vector<std::uint32_t> columns) const {
  Subset subset{std::move(columns), {}};
  const SupportMatrix rows = rows_of(subset.columns);
  subset.model = RidgeProblem(rows, targets_, loss_, intercept_).fit(ridge_, {});
  return subset;
}

double SubsetSearch::gain_on_line(std::uint32_t column, std::span<const double> margins) const {
  const Column& x = columns_[column];
  constexpr int kSteps = 3;
  double moved = 0;
  double change = 0;
  for (int step = 0; step <= kSteps; ++step) {
    double slope = ridge_ * moved;
    double bend = ridge_;
    change = 0.5 * ridge_ * moved * moved;
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      const std::uint32_t i = x.rows[k];
      const double c = candidates_.weights[i];
      const double there = margins[i] + moved * x.values[k];
      const double s = loss_.slope(there, targets_[i]);
      slope += c * s * x.values[k];
      bend += c * loss_.curvature(s) * x.values[k] * x.values[k];
      if (step == kSteps) {
        change += c * (loss_.value(there, targets_[i]) - loss_.value(margins[i], targets_[i]));
      }
    }
    if (step < kSteps) moved -= slope / bend;
  }
  return -change;
}

std::vector<std::uint32_t> SubsetSearch::partners(const Subset& of, std::size_t count,
                                                  std::uint32_t without) const {
  const SupportMatrix rows = rows_of(of.columns);
  const std::vector<double> margins =
      RidgeProblem(rows, targets_, loss_, intercept_).margins(of.model);
  const std::size_t n = candidates_.rows();
  std::vector<double> slopes(n), curvatures(n);
  double bend = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = loss_.slope(margins[i], targets_[i]);
    slopes[i] = candidates_.weights[i] * slope;
    curvatures[i] = candidates_.weights[i] * loss_.curvature(slope);
    bend += curvatures[i];
  }
  std::vector<std::pair<double, std::uint32_t>> scores;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    if (j == without || contains(of.columns, j) || columns_[j].rows.empty()) continue;
    double g = 0, h = ridge_, mean = 0;
    for (std::size_t k = 0; k < columns_[j].rows.size(); ++k) {
      const std::uint32_t i = columns_[j].rows[k];
      const double x = columns_[j].values[k];
      g += slopes[i] * x;
      h += curvatures[i] * x * x;
      mean += curvatures[i] * x;
    }
    if (intercept_ && bend > 0) h = std::max(h - mean * mean / bend, ridge_);
    if (const double gain = g * g / h; std::isfinite(gain)) scores.emplace_back(gain, j);
  }
  const std::vector<std::uint32_t> ranked = largest(scores, kRanked);
  scores.clear();
  for (const std::uint32_t j : ranked) scores.emplace_back(gain_on_line(j, margins), j);
  std::vector<std::uint32_t> found = largest(scores, count);
  // The first by either measure is always tried.
  if (!ranked.empty() && std::find(found.begin(), found.end(), ranked.front()) == found.end()) {
    found.back() = ranked.front();
  }
  return found;
}

Subset SubsetSearch::best_with_one_more(const Subset& from, std::uint32_t without,
                                        double below) const {
  Subset best;
  best.model.objective = below;
  // The first feature decides alone, so more of them are fitted.
  const std::size_t count = from.columns.empty() ? kRanked : kFitted;
  for (const std::uint32_t column : partners(from, count, without)) {
    Subset more = with(from, column);
    const SupportMatrix rows = rows_of(more.columns);
    more.model = RidgeProblem(rows, targets_, loss_, intercept_).fit(ridge_, std::move(more.model));
    if (more.model.objective < best.model.objective) best = std::move(more);
  }
  return best;
}

Subset SubsetSearch::grow(Subset from, std::size_t k) const {
  while (from.columns.size() < k) {
    Subset more = best_with_one_more(from, kNoColumn, std::numeric_limits<double>::infinity());
    if (more.columns.empty()) break;
    from = std::move(more);
  }
  return from;
}

std::vector<std::size_t> SubsetSearch::least_useful(const Subset& of) const {
  const SupportMatrix rows = rows_of(of.columns);
  const std::vector<double> margins =
      RidgeProblem(rows, targets_, loss_, intercept_).margins(of.model);
  std::vector<std::pair<double, std::uint32_t>> scores;  // negative: the largest come first
  for (std::uint32_t place = 0; place < of.columns.size(); ++place) {
    if (contains(kept_, of.columns[place])) continue;
    const Column& x = columns_[of.columns[place]];
    double bend = ridge_;
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      const std::uint32_t i = x.rows[k];
      const double slope = loss_.slope(margins[i], targets_[i]);
      bend += candidates_.weights[i] * loss_.curvature(slope) * x.values[k] * x.values[k];
    }
    scores.emplace_back(-of.model.weights[place] * of.model.weights[place] * bend, place);
  }
  const std::vector<std::uint32_t> found = largest(scores, kTried);
  return {found.begin(), found.end()};
}

Subset SubsetSearch::swap(Subset from) const {
  for (int swaps = 0; swaps < kMostSwaps; ++swaps) {
    bool swapped = false;
    for (const std::size_t place : least_useful(from)) {
      const std::uint32_t column = from.columns[place];
      Subset fewer = without(from, place);
      const SupportMatrix rows = rows_of(fewer.columns);
      fewer.model =
          RidgeProblem(rows, targets_, loss_, intercept_).fit(ridge_, std::move(fewer.model));
      const double below = from.model.objective * (1 - kLeastGain);
      Subset other = best_with_one_more(fewer, column, below);
      if (other.columns.empty()) continue;
      from = std::move(other);
      swapped = true;
      break;
    }
    if (!swapped) break;
  }
  return from;
}

}  // namespace thresh
