// The searches for few features that follow a run of the solver `budget`: for the lowest loss, and
// for the fewest errors.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "polish/screen.hpp"
#include "solvers/budget/plan.hpp"
#include "train/make_solver.hpp"
#include "train/polish.hpp"

namespace thresh {
namespace {

constexpr std::size_t kSearched = 64;         // the most features of a search
constexpr std::size_t kGrown = 20;            // the most that also grow from the next smaller one
constexpr std::size_t kMostWork = 6'000'000;  // features times entries, if there are more of them
constexpr std::size_t kLeastRows = 100;       // fewer cannot tell good features from lucky ones
constexpr std::uint64_t kScreened = 1 << 20;  // the most features to screen for candidates
constexpr std::size_t kFromScreening = 300;   // candidates from the screening
constexpr double kSearchRidge = 1;

std::vector<std::uint32_t> places(const Support& columns, const std::vector<std::uint32_t>& slots) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t slot : slots) {
    const std::uint32_t place = columns.place(slot);
    if (place != Support::kNone) found.push_back(place);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::optional<Polish::Searched> Polish::gather_candidates(const std::vector<ModelParts>& models,
                                                          std::size_t most) const {
  std::vector<ModelParts> pool;
  for (const ModelParts& model : models) {
    if (model[0].slots.size() <= kCandidates) pool.push_back(model);
  }
  const RunSetup& setup = run_.setup;
  if (setup.dimension <= kScreened) {
    pool.push_back({{strongest_slots(setup.train, stoppable(setup.training), unit_, kSearchRidge,
                                     kFromScreening),
                     {},
                     0}});
  }
  std::optional<Gathered> rows = gather(pool, false, most);
  if (!rows || rows->train.rows() < kLeastRows) return std::nullopt;
  std::vector<std::uint32_t> required;
  for (const RequiredFeature& each : required_features(run_)) required.push_back(each.slot);
  required = places(rows->columns, required);
  std::vector<double> targets = targets_of(rows->train, 0);
  return Searched{std::move(*rows), std::move(targets), std::move(required)};
}

SparseWeights Polish::from_subset(const Gathered& rows, const Subset& subset) const {
  std::vector<std::uint32_t> slots;
  for (const std::uint32_t column : subset.columns) slots.push_back(rows.columns.slots()[column]);
  return from_gathered(rows, std::move(slots), subset.model);
}

Subset Polish::to_subset(const Gathered& rows, const SparseWeights& model) const {
  return {places(rows.columns, model.slots), to_gathered(rows, model)};
}

// From the smallest up: each support is compared with the next smaller one, grown to its size.
std::vector<bool> Polish::search_small(std::vector<ModelParts>& models, std::size_t most) const {
  std::vector<bool> replaced(models.size());
  const auto is_small = [](const ModelParts& model) {
    return !model[0].slots.empty() && model[0].slots.size() <= kSearched;
  };
  const bool grouped = run_.options.solver_options.contains("groups");
  if (run_.classes() > 0 || grouped || std::none_of(models.begin(), models.end(), is_small)) {
    return replaced;
  }
  const std::optional<Searched> found = gather_candidates(models, most);
  if (!found) return replaced;
  const Gathered& rows = found->rows;
  SubsetSearch search(rows.train, found->targets, fit_loss(found->targets), run_.options.intercept,
                      kSearchRidge, found->required, signs_at(rows.columns.slots()));
  search.end_with(run_.options.stop);
  Subset last = search.fit(found->required);
  for (std::size_t i = models.size(); i-- > 0 && !stopped();) {
    if (!is_small(models[i])) continue;
    SparseWeights& model = models[i][0];
    const std::size_t k = model.slots.size();
    const std::vector<std::uint32_t> columns = places(rows.columns, model.slots);
    if (k > kGrown && k * rows.train.only(columns).entries() > kMostWork) continue;
    Subset swapped = search.swap(search.fit(columns));
    if (k <= kGrown) {
      Subset grown = search.swap(search.grow(std::move(last), k));
      const bool full = grown.columns.size() == k;
      if (full && grown.model.objective < swapped.model.objective) swapped = std::move(grown);
    }
    last = std::move(swapped);
    model = from_subset(rows, last);
    replaced[i] = true;
  }
  return replaced;
}

bool Polish::may_search_errors() const {
  constexpr std::uint64_t kLeastRowsForErrors = 1000;  // fewer have few errors to count
  const bool grouped = run_.options.solver_options.contains("groups");
  return run_.classes() == 0 && run_.options.task == Task::classification && !grouped &&
         run_.setup.training_rows >= kLeastRowsForErrors;
}

std::vector<std::optional<PolishedModel>> Polish::fit_by_errors(
    const std::vector<ModelParts>& models, const std::vector<std::optional<PolishedModel>>& by_loss,
    std::optional<double> ridge) const {
  std::vector<std::optional<PolishedModel>> fits(models.size());
  const std::optional<Searched> found = gather_candidates(models, most_entries(ridge.has_value()));
  if (!found && ridge) {
    throw Error(fmt::format("--fewest-errors needs at least {} rows", kLeastRows));
  }
  if (!found) return fits;
  const Gathered& rows = found->rows;
  SubsetSearch search(rows.train, found->targets, fit_loss(found->targets), run_.options.intercept,
                      kSearchRidge, found->required, signs_at(rows.columns.slots()));
  search.end_with(run_.options.stop);
  std::vector<ModelParts> chosen;
  std::vector<std::size_t> sizes;
  Subset last = search.fit(found->required);
  for (std::size_t i = models.size(); i-- > 0 && !stopped();) {
    const std::size_t k = models[i].front().slots.size();
    if (k == 0 || k < last.columns.size() || k > kMostByErrors) continue;
    last = search.grow_by_errors(std::move(last), k);
    if (stopped()) break;
    const bool compares = i < by_loss.size() && by_loss[i];
    if (compares && !search.leaves_fewer_errors(last, to_subset(rows, by_loss[i]->parts.front()))) {
      break;
    }
    chosen.push_back({from_subset(rows, last)});
    sizes.push_back(i);
  }
  const std::optional<Gathered> support = gather(chosen, !ridge, kUnlimited);
  for (std::size_t i = 0; i < chosen.size() && !stopped(); ++i) {
    std::optional<PolishedModel>& fit = fits[sizes[i]];
    fit = fit_one(*support, chosen[i], {ridge});
    if (fit) fit->by_errors = true;
  }
  return fits;
}

}  // namespace thresh
