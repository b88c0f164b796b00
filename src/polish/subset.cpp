#include "polish/subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "loss/row_losses.hpp"

namespace thresh {
namespace {

constexpr std::size_t kRanked = 32;  // by their gain along a line
constexpr std::size_t kFitted = 4;
constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kTried = 8;  // features that may leave
constexpr int kMostSwaps = 50;
// A swap must lower the objective by this share of it: fits are exact to far less.
constexpr double kLeastGain = 1e-7;
// Enough to rank the partners of a subset.
constexpr double kRoughly = 1e-5;

bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t column) {
  return std::binary_search(sorted.begin(), sorted.end(), column);
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
                           std::vector<std::uint32_t> kept, std::vector<double> signs)
    : candidates_(candidates),
      targets_(targets),
      loss_(loss),
      intercept_(intercept),
      ridge_(ridge),
      kept_(std::move(kept)),
      signs_(std::move(signs)),
      columns_(candidates.columns) {
  for (std::size_t i = 0; i < candidates_.rows(); ++i) {
    const SparseVector row = candidates_.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      columns_[row.at[k]].rows.push_back(static_cast<std::uint32_t>(i));
      columns_[row.at[k]].values.push_back(row.values[k]);
    }
  }
  for (SingleColumn& column : columns_) {
    const std::vector<double>& values = column.values;
    column.one_value = std::all_of(values.begin(), values.end(),
                                   [&](double value) { return value == values.front(); });
  }
}

SubsetSearch::Restricted SubsetSearch::restrict_to(Subset subset) const {
  SupportMatrix part;
  part.columns = subset.columns.size();
  part.labels = candidates_.labels;
  part.weights = candidates_.weights;
  part.starts.assign(candidates_.rows() + 1, 0);
  for (const std::uint32_t column : subset.columns) {
    for (const std::uint32_t i : columns_[column].rows) ++part.starts[i + std::size_t{1}];
  }
  std::partial_sum(part.starts.begin(), part.starts.end(), part.starts.begin());
  part.at.resize(part.starts.back());
  part.values.resize(part.starts.back());
  std::vector<std::size_t> next(part.starts.begin(), part.starts.end() - 1);
  for (std::uint32_t place = 0; place < subset.columns.size(); ++place) {
    const SingleColumn& x = columns_[subset.columns[place]];
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      const std::size_t to = next[x.rows[k]]++;
      part.at[to] = place;
      part.values[to] = x.values[k];
    }
  }
  return {std::move(subset), merge_equal_rows(part, targets_)};
}

SubsetSearch::Restricted SubsetSearch::with(const Restricted& from, std::uint32_t column,
                                            double weight) const {
  Subset more = from.subset;
  const auto found = std::lower_bound(more.columns.begin(), more.columns.end(), column);
  const auto place = found - more.columns.begin();
  more.model.weights.insert(more.model.weights.begin() + place, weight);
  more.columns.insert(found, column);
  return {std::move(more), with_column(from.merged, static_cast<std::uint32_t>(place),
                                       columns_[column], candidates_.weights)};
}

SubsetSearch::Restricted SubsetSearch::without(const Restricted& from, std::size_t place) const {
  Subset fewer = from.subset;
  fewer.columns.erase(fewer.columns.begin() + static_cast<std::ptrdiff_t>(place));
  fewer.model.weights.erase(fewer.model.weights.begin() + static_cast<std::ptrdiff_t>(place));
  return {std::move(fewer),
          without_column(from.merged, static_cast<std::uint32_t>(place), candidates_.weights)};
}

SubsetSearch::Restricted SubsetSearch::fitted(Restricted start, const FitEnd& end) const {
  const MergedRows& merged = start.merged;
  RidgeModel& model = start.subset.model;
  RidgeProblem problem(merged.rows, merged.targets, loss_, intercept_);
  if (!signs_.empty()) {
    std::vector<double> signs;
    for (const std::uint32_t column : start.subset.columns) signs.push_back(signs_[column]);
    problem.constrain(std::move(signs));
  }
  model = problem.fit(ridge_, std::move(model), end);
  return start;
}

Subset SubsetSearch::fit(std::vector<std::uint32_t> columns) const {
  return fitted(restrict_to({std::move(columns), {}}), {}).subset;
}

std::vector<double> SubsetSearch::margins_of(const Restricted& at) const {
  const MergedRows& merged = at.merged;
  return RidgeProblem(merged.rows, merged.targets, loss_, intercept_).margins(at.subset.model);
}

SubsetSearch::Derivatives SubsetSearch::derivatives_of(const Restricted& at) const {
  const MergedRows& merged = at.merged;
  Derivatives all{margins_of(at), {}};
  const std::size_t m = all.margins.size();
  std::vector<double> slopes(m), curvatures(m);
  row_losses(loss_, m, all.margins.data(), merged.targets.data(),
             std::vector<double>(m, 1.0).data(), slopes.data(), curvatures.data());
  all.bent.reserve(candidates_.rows());
  for (std::size_t i = 0; i < candidates_.rows(); ++i) {
    const std::uint32_t place = merged.place[i];
    const double weight = candidates_.weights[i];
    all.bent.push_back({weight * slopes[place], weight * curvatures[place]});
  }
  return all;
}

SubsetSearch::Partner SubsetSearch::best_on(const ColumnLine& line, std::uint32_t column) const {
  const ColumnLine::Best best = line.best(loss_, ridge_);
  if (has_wrong_sign(column, best.weight)) return {column, 0, 0};
  return {column, best.weight, best.gain};
}

std::vector<std::uint32_t> SubsetSearch::strongest(const std::vector<std::uint32_t>& not_these,
                                                   std::uint32_t nor_this,
                                                   const Derivatives& at) const {
  double bend = 0;
  for (const auto& row : at.bent) bend += row.curvature;
  std::vector<std::pair<double, std::uint32_t>> scores;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    if (j == nor_this || contains(not_these, j) || columns_[j].rows.empty()) continue;
    double g = 0, h = ridge_, mean = 0;
    for (std::size_t k = 0; k < columns_[j].rows.size(); ++k) {
      const Derivatives::Bent row = at.bent[columns_[j].rows[k]];
      const double x = columns_[j].values[k];
      g += row.slope * x;
      h += row.curvature * x * x;
      mean += row.curvature * x;
    }
    if (intercept_ && bend > 0) h = std::max(h - mean * mean / bend, ridge_);
    if (has_wrong_sign(j, -g)) continue;
    if (const double gain = g * g / h; std::isfinite(gain)) scores.emplace_back(gain, j);
  }
  return largest(scores, kRanked);
}

std::vector<SubsetSearch::Partner> SubsetSearch::partners(const Restricted& of, std::size_t count,
                                                          std::uint32_t without) const {
  const Derivatives at = derivatives_of(of);
  std::vector<Partner> found;
  ColumnLine line;
  for (const std::uint32_t column : strongest(of.subset.columns, without, at)) {
    line.gather(columns_[column], of.merged, at.margins, candidates_.weights);
    found.push_back(best_on(line, column));
  }
  if (found.size() <= count) return found;
  // The first by either measure is always tried.
  const Partner first = found.front();
  std::stable_sort(found.begin(), found.end(),
                   [](const Partner& a, const Partner& b) { return a.gain > b.gain; });
  found.resize(count);
  const bool has_first = std::any_of(
      found.begin(), found.end(), [&](const Partner& each) { return each.column == first.column; });
  if (!has_first) found.back() = first;
  return found;
}

std::optional<SubsetSearch::Restricted> SubsetSearch::best_with_one_more(const Restricted& from,
                                                                         std::uint32_t without,
                                                                         double below) const {
  std::optional<Restricted> best;
  FitEnd end;
  end.below = below;
  // The first feature decides alone, so more of them are fitted.
  const std::size_t count = from.subset.columns.empty() ? kRanked : kFitted;
  for (const Partner& partner : partners(from, count, without)) {
    if (stopped()) break;
    Restricted more = fitted(with(from, partner.column, partner.weight), end);
    if (!(more.subset.model.objective < end.below)) continue;
    end.below = more.subset.model.objective;
    best = std::move(more);
  }
  return best;
}

Subset SubsetSearch::grow(Subset from, std::size_t k) const {
  if (from.columns.size() >= k) return from;
  Restricted at = restrict_to(std::move(from));
  while (at.subset.columns.size() < k && !stopped()) {
    auto more = best_with_one_more(at, kNoColumn, std::numeric_limits<double>::infinity());
    if (!more) break;
    at = std::move(*more);
  }
  return std::move(at.subset);
}

std::vector<std::size_t> SubsetSearch::least_useful(const Restricted& of) const {
  const Derivatives at = derivatives_of(of);
  const Subset& subset = of.subset;
  std::vector<std::pair<double, std::uint32_t>> scores;  // negative: the largest come first
  for (std::uint32_t place = 0; place < subset.columns.size(); ++place) {
    if (contains(kept_, subset.columns[place])) continue;
    const SingleColumn& x = columns_[subset.columns[place]];
    double bend = ridge_;
    for (std::size_t k = 0; k < x.rows.size(); ++k) {
      bend += at.bent[x.rows[k]].curvature * x.values[k] * x.values[k];
    }
    const double weight = subset.model.weights[place];
    scores.emplace_back(-weight * weight * bend, place);
  }
  const std::vector<std::uint32_t> found = largest(scores, kTried);
  return {found.begin(), found.end()};
}

Subset SubsetSearch::swap(Subset from) const {
  Restricted at = restrict_to(std::move(from));
  for (int swaps = 0; swaps < kMostSwaps; ++swaps) {
    bool swapped = false;
    for (const std::size_t place : least_useful(at)) {
      if (stopped()) return std::move(at.subset);
      FitEnd roughly;
      roughly.converged = kRoughly;
      const Restricted fewer = fitted(without(at, place), roughly);
      const double below = at.subset.model.objective * (1 - kLeastGain);
      auto other = best_with_one_more(fewer, at.subset.columns[place], below);
      if (!other) continue;
      at = std::move(*other);
      swapped = true;
      break;
    }
    if (!swapped) break;
  }
  return std::move(at.subset);
}

}  // namespace thresh
