// Selection for tables with fewer rows than columns: backward elimination by the weights of ridges.

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

constexpr std::uint64_t kMostRowsIfWide = 512;  // a fit of all columns takes the square of them
constexpr std::uint64_t kMostRows = 5000;
constexpr std::size_t kLeastColumns = 20;  // below, the search by the loss itself is better

}  // namespace

// Counts held-out rows, too: the last run, on all rows, must select in the same units.
bool Polish::is_wide() const {
  const Survey* survey = run_.problem.train->survey();
  return survey != nullptr && survey->rows < run_.setup.dimension;
}

bool Polish::may_prune() const {
  const RunSetup& setup = run_.setup;
  const bool table = run_.problem.scales && run_.problem.scales->kind() == FeatureScale::automatic;
  const bool few = setup.training_rows <= (is_wide() ? kMostRowsIfWide : kMostRows);
  const bool grouped = run_.options.solver_options.contains("groups");
  return table && few && run_.classes() == 0 && !grouped;
}

std::optional<Polish::Gathered> Polish::gather_all(bool held_out, std::size_t most) const {
  const RunSetup& setup = run_.setup;
  // Of any number; those left out have no gain at all.
  SparseWeights all{
      strongest_slots(setup.train, stoppable(setup.training), unit_, 1, kUnlimited), {}, 0};
  SparseWeights required;
  for (const RequiredFeature& each : required_features(run_)) required.slots.push_back(each.slot);
  return gather({{std::move(all)}, {std::move(required)}}, held_out, most,
                is_wide() ? Units::file : Units::equal);
}

// The rows come divided by the scales. Multiplied by these factors they have the proportions of the
// file again, and a typical row has length 1, so that the usual range of ridges suits them.
std::vector<double> Polish::factors_of_file(const SupportMatrix& rows,
                                            const std::vector<std::uint32_t>& slots) const {
  std::vector<double> factors(slots.size(), 1);
  if (run_.problem.scales) {
    for (std::size_t j = 0; j < slots.size(); ++j) factors[j] = run_.problem.scales->at(slots[j]);
  }
  std::vector<double> lengths;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SparseVector row = rows.row(i);
    double square = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      const double value = row.values[k] * factors[row.at[k]];
      square += value * value;
    }
    lengths.push_back(std::sqrt(square));
  }
  if (lengths.empty()) return factors;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  if (!std::isnormal(*middle)) return factors;
  for (double& factor : factors) factor /= *middle;
  return factors;
}

std::vector<std::uint32_t> Polish::most_important(const Gathered& rows, const SparseWeights& model,
                                                  std::size_t most) const {
  const std::vector<double> sizes = column_sizes(rows.train);
  const RidgeModel gathered = to_gathered(rows, model);
  std::vector<std::uint32_t> columns(model.slots.size());
  std::vector<double> importance(rows.train.columns);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j] = rows.columns.place(model.slots[j]);
    importance[columns[j]] = std::fabs(gathered.weights[j]) * sizes[columns[j]];
  }
  for (const RequiredFeature& each : required_features(run_)) {
    importance[rows.columns.place(each.slot)] = std::numeric_limits<double>::infinity();
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return importance[a] > importance[b]; });
  columns.resize(std::min(most, columns.size()));
  std::sort(columns.begin(), columns.end());
  return columns;
}

std::vector<std::optional<PolishedModel>> Polish::prune(const std::vector<ModelParts>& models,
                                                        std::optional<PruneRidges> given) const {
  const std::size_t least = given ? 0 : is_wide() ? run_.setup.training_rows : kLeastColumns;
  const auto size_of = [](const ModelParts& model) { return model.front().slots.size(); };
  if (models.empty() || size_of(models.front()) < least) return {};
  std::vector<std::optional<PolishedModel>> found(models.size());
  const std::optional<Gathered> rows = gather_all(!given, most_entries(given.has_value()));
  if (!rows) return found;
  const auto fit_columns = [&](const std::vector<std::uint32_t>& columns,
                               std::optional<double> ridge) {
    SparseWeights start;
    for (const std::uint32_t column : columns) start.slots.push_back(rows->columns.slots()[column]);
    start.weights.resize(columns.size());
    return fit_one(*rows, {std::move(start)}, {ridge});
  };
  std::vector<std::uint32_t> everything(rows->train.columns);
  std::iota(everything.begin(), everything.end(), 0);
  std::optional<PolishedModel> left =
      fit_columns(everything, given ? std::optional(given->all) : std::nullopt);
  // The largest model first. The steps do not depend on which sizes are wanted.
  for (std::size_t i = 0; i < models.size() && left; ++i) {
    const std::size_t size = size_of(models[i]);
    if (size < least) continue;
    const double ridge = left->ridge;
    while (left && size > 0 && size_of(left->parts) / 2 >= size && !stopped()) {
      left =
          fit_columns(most_important(*rows, left->parts.front(), size_of(left->parts) / 2), ridge);
    }
    if (!left || stopped()) break;
    found[i] = fit_columns(most_important(*rows, left->parts.front(), size),
                           given ? std::optional(given->selected) : std::nullopt);
    if (found[i]) found[i]->prune = ridge;
  }
  return found;
}

}  // namespace thresh
