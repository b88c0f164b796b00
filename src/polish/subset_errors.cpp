// The search for the few features that leave the fewest errors. Where one class is rare, the
// features with the lowest loss may never predict it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "polish/subset.hpp"

namespace thresh {
namespace {

constexpr std::size_t kFittedByErrors = 8;
constexpr double kRoughFit = 1e-5;

}  // namespace

double SubsetSearch::errors_of(const Restricted& fit) const {
  const MergedRows& merged = fit.merged;
  const std::vector<double> margins = margins_of(fit);
  double errors = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (is_missed(margins[i], merged.targets[i])) errors += merged.rows.weights[i];
  }
  return errors;
}

std::vector<bool> SubsetSearch::misses_of(const Subset& subset) const {
  const Restricted at = restrict_to(subset);
  const std::vector<double> margins = margins_of(at);
  std::vector<bool> missed;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    missed.push_back(is_missed(margins[at.merged.place[i]], targets_[i]));
  }
  return missed;
}

bool SubsetSearch::leaves_fewer_errors(const Subset& a, const Subset& b) const {
  const std::vector<bool> by_a = misses_of(a), by_b = misses_of(b);
  double fewer = 0;
  double variance = 0;
  for (std::size_t i = 0; i < by_a.size(); ++i) {
    const double weight = candidates_.weights[i] * (by_b[i] - by_a[i]);
    fewer += weight;
    variance += weight * weight;
  }
  return fewer > 2 * std::sqrt(variance);
}

std::vector<SubsetSearch::Partner> SubsetSearch::partners_by_errors(const Restricted& of) const {
  const std::vector<double> margins = margins_of(of);
  ColumnLine line;
  std::vector<std::pair<double, Partner>> found;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    const auto& taken = of.subset.columns;
    if (columns_[j].rows.empty() || std::binary_search(taken.begin(), taken.end(), j)) continue;
    line.gather(columns_[j], of.merged, margins, candidates_.weights);
    const Partner partner = best_on(line, j);
    found.emplace_back(line.errors_saved(partner.weight), partner);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.gain) > std::pair(b.first, b.second.gain);
  });
  std::vector<Partner> first;
  for (std::size_t i = 0; i < std::min(kFittedByErrors, found.size()); ++i) {
    first.push_back(found[i].second);
  }
  return first;
}

Subset SubsetSearch::grow_by_errors(Subset from, std::size_t k) const {
  FitEnd roughly;
  roughly.converged = kRoughFit;
  if (from.columns.size() >= k) return from;
  Restricted at = restrict_to(std::move(from));
  while (at.subset.columns.size() < k && !stopped()) {
    std::optional<Restricted> best;
    double fewest = std::numeric_limits<double>::infinity();
    for (const Partner& partner : partners_by_errors(at)) {
      if (stopped()) return std::move(at.subset);
      Restricted more = fitted(with(at, partner.column, partner.weight), roughly);
      const double errors = errors_of(more);
      const double objective = more.subset.model.objective;
      if (best &&
          !(std::pair(errors, objective) < std::pair(fewest, best->subset.model.objective))) {
        continue;
      }
      fewest = errors;
      best = std::move(more);
    }
    if (!best) break;
    at = std::move(*best);
  }
  return std::move(at.subset);
}

}  // namespace thresh
