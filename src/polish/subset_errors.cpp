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

bool misses(double margin, double target) {
  return (margin > 0) != (target > 0);
}

}  // namespace

double SubsetSearch::errors_of(const Restricted& fit) const {
  const MergedRows& merged = fit.merged;
  const std::vector<double> margins =
      RidgeProblem(merged.rows, merged.targets, loss_, intercept_).margins(fit.subset.model);
  double errors = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (misses(margins[i], merged.targets[i])) errors += merged.rows.weights[i];
  }
  return errors;
}

std::vector<bool> SubsetSearch::misses_of(const Subset& subset) const {
  const std::vector<double> margins = derivatives_of(restrict_to(subset)).margins;
  std::vector<bool> missed;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    missed.push_back(misses(margins[i], targets_[i]));
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

double SubsetSearch::errors_saved(const Partner& partner, std::span<const double> margins) const {
  const Column& x = columns_[partner.column];
  double saved = 0;
  for (std::size_t k = 0; k < x.rows.size(); ++k) {
    const std::uint32_t i = x.rows[k];
    const double moved = margins[i] + partner.weight * x.values[k];
    saved +=
        candidates_.weights[i] * (misses(margins[i], targets_[i]) - misses(moved, targets_[i]));
  }
  return saved;
}

std::vector<SubsetSearch::Partner> SubsetSearch::partners_by_errors(const Restricted& of) const {
  const std::vector<double> margins = derivatives_of(of).margins;
  std::vector<std::pair<double, Partner>> found;
  for (std::uint32_t j = 0; j < columns_.size(); ++j) {
    const auto& taken = of.subset.columns;
    if (columns_[j].rows.empty() || std::binary_search(taken.begin(), taken.end(), j)) continue;
    const Partner partner = gain_on_line(j, margins);
    found.emplace_back(errors_saved(partner, margins), partner);
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
  while (from.columns.size() < k && !stopped()) {
    Subset best;
    double fewest = std::numeric_limits<double>::infinity();
    for (const Partner& partner : partners_by_errors(restrict_to(from))) {
      if (stopped()) return from;
      Restricted more = fitted(with(from, partner.column, partner.weight), roughly);
      const double errors = errors_of(more);
      const Subset& subset = more.subset;
      if (std::pair(errors, subset.model.objective) < std::pair(fewest, best.model.objective)) {
        fewest = errors;
        best = std::move(more.subset);
      }
    }
    if (best.columns.empty()) break;
    from = std::move(best);
  }
  return from;
}

}  // namespace thresh
