#include "train/relax.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "polish/column_pulls.hpp"
#include "polish/subset.hpp"
#include "train/make_solver.hpp"

namespace thresh {
namespace {

constexpr int kMostRounds = 20;
constexpr double kGap = 2e-4;               // between relaxed optimum and bound, of the former
constexpr double kFirstGap = 2e-3;          // in the first rounds
constexpr double kMostVisits = 6e9;         // of entries, in all rounds of a class
constexpr std::size_t kFirstColumns = 256;  // that enter beside 4 K
constexpr std::size_t kMostSwapped = 64;    // the most features that are swapped for others
constexpr std::size_t kMostSwapWork = 6'000'000;  // features times entries, of swaps

// The places of the k largest that are not 0, by ascending place; ties go to the first.
std::vector<std::uint32_t> largest(std::span<const double> sizes, std::size_t k) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t j = 0; j < sizes.size(); ++j) {
    if (sizes[j] > 0) order.push_back(j);
  }
  k = std::min(k, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
                    });
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

SparseWeights without_zeros(const SparseWeights& model) {
  SparseWeights some;
  some.intercept = model.intercept;
  for (std::size_t j = 0; j < model.slots.size(); ++j) {
    if (model.weights[j] == 0) continue;
    some.slots.push_back(model.slots[j]);
    some.weights.push_back(model.weights[j]);
  }
  return some;
}

}  // namespace

BudgetRelaxer::BudgetRelaxer(const RunContext& run, const Polish& polish, double ridge)
    : run_(run), polish_(polish), ridge_(ridge), loss_(loss_function_of(run.options)) {
  sizes_ = slot_sizes(run.setup.train, run.setup.training, polish.unit_);
  for (const RequiredFeature& each : required_features(run)) {
    // One that does not occur takes no place.
    if (each.slot < sizes_.size() && sizes_[each.slot] > 0) required_.push_back(each.slot);
  }
  free_ = run.setup.max_nonzeros - std::min<std::size_t>(run.setup.max_nonzeros, required_.size());
}

bool BudgetRelaxer::is_required(std::uint32_t slot) const {
  return std::binary_search(required_.begin(), required_.end(), slot);
}

BudgetRelaxer::Pulls BudgetRelaxer::pulls_of(std::span<const double> slopes) const {
  const ZeroedArray<double> sums =
      slot_pulls(run_.setup.train, run_.setup.training, slopes, polish_.unit_);
  Pulls pulls;
  for (std::uint32_t slot = 0; slot < sums.size(); ++slot) {
    if (sums[slot] != 0) pulls.slots.push_back(slot);
  }
  sort_by_feature(pulls.slots, run_.problem.features.get());
  std::vector<char> kept;
  for (const std::uint32_t slot : pulls.slots) {
    const double size = sizes_[slot];
    pulls.sizes.push_back(std::fabs(sums[slot]) / (std::isnormal(size) ? std::sqrt(size) : 1));
    kept.push_back(is_required(slot) ? 1 : 0);
  }
  pulls.dual = SupportNorm(free_, std::move(kept)).dual(pulls.sizes);
  return pulls;
}

std::optional<BudgetRelaxer::Round> BudgetRelaxer::run_round(const SparseWeights& start,
                                                             std::size_t part, double gap,
                                                             std::size_t most,
                                                             double visits) const {
  const ModelParts required = {{required_, {}, 0}};
  std::optional<Polish::Gathered> rows = polish_.gather({{start}, required}, false, most);
  if (!rows) return std::nullopt;
  const std::vector<std::uint32_t> slots = rows->columns.slots();
  SparseWeights all{slots, std::vector<double>(slots.size()), start.intercept};
  for (std::size_t j = 0; j < start.slots.size(); ++j) {
    all.weights[rows->columns.place(start.slots[j])] += start.weights[j];
  }
  std::vector<char> kept;
  for (const std::uint32_t slot : slots) kept.push_back(is_required(slot) ? 1 : 0);
  const std::vector<double> targets = polish_.targets_of(rows->train, part);
  const Relaxation problem(rows->train, targets, loss_, run_.options.intercept, ridge_,
                           SupportNorm(free_, std::move(kept)));
  RelaxationEnd end;
  end.gap = gap;
  end.stop = run_.options.stop;
  // A step visits entries twice or more; a loss costs as much as some entries.
  const double step = 3.0 * static_cast<double>(rows->train.entries() + 8 * rows->train.rows());
  end.most_steps = static_cast<int>(std::clamp(visits / step, 1.0, 1e5));
  RelaxedModel relaxed = problem.fit(polish_.to_gathered(*rows, all), end);
  Pulls pulls = pulls_of(relaxed.slopes);
  const double bound = relaxed.conjugates - pulls.dual / (2 * ridge_);
  SparseWeights model = polish_.from_gathered(*rows, slots, relaxed.model);
  const double work = step * relaxed.steps;
  return Round{
      std::move(*rows), std::move(relaxed), std::move(model), bound, std::move(pulls), work};
}

SparseWeights BudgetRelaxer::next_columns(const Round& round, std::size_t enter) const {
  SparseWeights next = without_zeros(round.model);
  for (const std::uint32_t j : largest(round.pulls.sizes, enter)) {
    next.slots.push_back(round.pulls.slots[j]);
    next.weights.push_back(0);  // added to the one it may have
  }
  return next;
}

BudgetRelaxer::Found BudgetRelaxer::search(const SparseWeights& model, std::size_t part) const {
  Found found;
  SparseWeights start = model;
  double visits = kMostVisits;
  std::size_t enter = 4 * free_ + kFirstColumns;
  for (int number = 0; number < kMostRounds; ++number, enter += enter / 2) {
    const std::size_t most = polish_.most_entries(number == 0);
    // The same amount of work on every machine, not of time: models must not depend on it.
    const bool early = number < 2;
    auto round =
        run_round(start, part, early ? kFirstGap : kGap / 2, most, visits / (early ? 8 : 1));
    if (!round) break;  // not enough memory: the bound so far is valid
    if (round->bound > found.bound) {
      found.bound = round->bound;
      found.dual = without_zeros(round->model);
      found.pulls = round->pulls;
    }
    visits -= round->visits;
    const double objective = round->relaxed.model.objective;
    found.relaxed = objective;
    start = next_columns(*round, enter);
    found.last = std::move(round);
    if (polish_.stopped() || visits < kMostVisits / 50) break;
    if (number > 1 && objective - found.bound <= kGap * objective) break;
  }
  return found;
}

BudgetRelaxer::Better BudgetRelaxer::better_of(const SparseWeights& model, const Round& round,
                                               std::size_t part) const {
  const Support& columns = round.rows.columns;
  std::vector<double> sizes;
  std::vector<std::uint32_t> chosen, kept;
  for (std::uint32_t j = 0; j < columns.size(); ++j) {
    const bool required = is_required(columns.slots()[j]);
    sizes.push_back(required ? 0 : std::fabs(round.relaxed.model.weights[j]));
    if (required) kept.push_back(j);
  }
  chosen = largest(sizes, free_);
  chosen.insert(chosen.end(), kept.begin(), kept.end());
  std::sort(chosen.begin(), chosen.end());
  const std::vector<double> targets = polish_.targets_of(round.rows.train, part);
  const SubsetSearch search(round.rows.train, targets, loss_, run_.options.intercept, ridge_, kept);
  Subset best = search.fit(chosen);
  const std::size_t entries = round.rows.train.only(chosen).entries();
  if (chosen.size() <= kMostSwapped && chosen.size() * entries <= kMostSwapWork) {
    best = search.swap(std::move(best));
  }
  const auto own = polish_.gather({{model}}, false, kUnlimited);
  const std::vector<double> own_targets = polish_.targets_of(own->train, part);
  const RidgeProblem problem(own->train, own_targets, loss_, run_.options.intercept);
  const RidgeModel fitted = problem.fit(ridge_, polish_.to_gathered(*own, model));
  if (!(best.model.objective < fitted.objective)) {
    return {polish_.from_gathered(*own, own->columns.slots(), fitted), fitted.objective};
  }
  std::vector<std::uint32_t> slots;
  for (const std::uint32_t column : best.columns) slots.push_back(columns.slots()[column]);
  return {polish_.from_gathered(round.rows, std::move(slots), best.model), best.model.objective};
}

RelaxedBudget BudgetRelaxer::relax(const ModelParts& model) const {
  RelaxedBudget all;
  all.ridge = ridge_ / polish_.unit_;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  std::chrono::duration<double> spent{0};  // on proofs, as the rest must be done in any case
  for (std::size_t part = 0; part < model.size(); ++part) {
    const Found found = search(model[part], part);
    auto [better, objective] = better_of(model[part], *found.last, part);
    all.dual.push_back(found.dual);
    if (run_.options.prove > 0) {
      // The parts that are left share the time that is left.
      const std::chrono::duration<double> left =
          std::chrono::duration<double>(run_.options.prove_seconds) - spent;
      const auto start = now();
      const auto share = left / static_cast<double>(model.size() - part);
      const Deadline until =
          start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(share);
      prove(found, objective, until, better, part, all);
      spent += now() - start;
    }
    all.model.push_back(std::move(better));
    all.slack = std::max(all.slack, (found.relaxed - found.bound) / found.relaxed);
  }
  all.seconds_left = std::max(0.0, run_.options.prove_seconds - spent.count());
  // Who interrupts does not want to wait for long.
  if (polish_.stopped()) all.seconds_left = std::min(all.seconds_left, 1 + spent.count() / 4);
  return all;
}

}  // namespace thresh
