// Selection for tables with fewer rows than columns: the largest weights of a ridge on all columns.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/feed/feature_scales.hpp"
#include "polish/screen.hpp"
#include "train/make_solver.hpp"
#include "train/polish.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kMostRows = 512;  // a fit of all columns takes the square of them

}  // namespace

bool Polish::may_prune() const {
  const RunSetup& setup = run_.setup;
  const bool table = run_.problem.scales && run_.problem.scales->kind() == FeatureScale::automatic;
  return table && run_.classes() == 0 && setup.training_rows <= kMostRows &&
         setup.training_rows < setup.dimension;
}

std::optional<Polish::Gathered> Polish::gather_all(bool held_out, std::size_t most) const {
  const RunSetup& setup = run_.setup;
  // Of any number; those left out have no gain at all.
  SparseWeights all{strongest_slots(setup.train, setup.training, unit_, 1, kUnlimited), {}, 0};
  SparseWeights required;
  for (const RequiredFeature& each : required_features(run_)) required.slots.push_back(each.slot);
  return gather({{std::move(all)}, {std::move(required)}}, held_out, most, Units::file);
}

std::vector<std::uint32_t> Polish::by_importance(const Gathered& rows,
                                                 const SparseWeights& model) const {
  std::vector<double> importance = column_sizes(rows.train);
  const RidgeModel gathered = to_gathered(rows, model);
  for (std::size_t j = 0; j < importance.size(); ++j) {
    importance[j] *= std::fabs(gathered.weights[j]);
  }
  for (const RequiredFeature& each : required_features(run_)) {
    importance[rows.columns.place(each.slot)] = std::numeric_limits<double>::infinity();
  }
  std::vector<std::uint32_t> order(importance.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return importance[a] > importance[b]; });
  return order;
}

std::vector<std::optional<PolishedModel>> Polish::prune(const std::vector<ModelParts>& models,
                                                        std::optional<PruneRidges> given) const {
  std::vector<std::optional<PolishedModel>> found(models.size());
  const std::optional<Gathered> rows = gather_all(!given, most_entries(given.has_value()));
  if (!rows) return found;
  const auto fit_columns = [&](std::vector<std::uint32_t> columns, std::optional<double> ridge) {
    std::sort(columns.begin(), columns.end());
    SparseWeights start;
    for (const std::uint32_t column : columns) start.slots.push_back(rows->columns.slots()[column]);
    start.weights.resize(columns.size());
    return fit_one(*rows, {std::move(start)}, ridge, false);
  };
  std::vector<std::uint32_t> everything(rows->train.columns);
  std::iota(everything.begin(), everything.end(), 0);
  const std::optional<PolishedModel> all =
      fit_columns(everything, given ? std::optional(given->all) : std::nullopt);
  if (!all) return found;
  const std::vector<std::uint32_t> order = by_importance(*rows, all->parts.front());
  for (std::size_t i = 0; i < models.size() && !stopped(); ++i) {
    const std::size_t size = models[i].front().slots.size();
    if (!given && size < rows->train.rows()) continue;
    const std::size_t selected = std::min(size, order.size());
    found[i] = fit_columns({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(selected)},
                           given ? std::optional(given->selected) : std::nullopt);
    if (found[i]) found[i]->prune = all->ridge;
  }
  return found;
}

}  // namespace thresh
