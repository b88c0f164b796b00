#include "select/upward.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cluster/slice_sums.hpp"
#include "select/side_by_side.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// A run of this many features costs little more than one of a few.
constexpr std::uint64_t kFirstGroup = 20'000;
constexpr std::uint64_t kGrowth = 10;

const SizedResult* best_of(const std::vector<SizedResult>& models, Measure by, auto wanted) {
  const SizedResult* best = nullptr;
  for (const SizedResult& model : models) {
    if (!wanted(model.budget) || !model.last.valid_loss) continue;
    if (best == nullptr || score_of(model, by) < score_of(*best, by)) best = &model;
  }
  return best;
}

std::uint64_t largest_size(const Frontier& tried) {
  std::uint64_t largest = 0;
  for (const SizedResult& model : tried.tried) largest = std::max(largest, model.budget);
  return largest;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> size_groups(const std::vector<std::uint64_t>& budgets) {
  std::vector<std::vector<std::uint64_t>> groups;
  std::uint64_t end = kFirstGroup;
  for (const std::uint64_t budget : budgets) {
    const bool begins = groups.empty() || budget > end;
    while (budget > end) end *= kGrowth;
    if (begins) groups.emplace_back();
    groups.back().push_back(budget);
  }
  return groups;
}

bool still_falls(const Frontier& tried) {
  if (!tried.failure.empty()) return false;
  const Measure by = usual_measure(tried);
  const std::uint64_t largest = largest_size(tried);
  const auto* top = best_of(tried.tried, by, [&](std::uint64_t k) { return k == largest; });
  const auto* rest = best_of(tried.tried, by, [&](std::uint64_t k) { return k < largest; });
  if (top == nullptr) return false;
  return rest == nullptr || is_clearly_better(*top, *rest, by);
}

bool wants_larger(const Frontier& tried, const SizedResult& chosen) {
  return chosen.budget == largest_size(tried) && still_falls(tried);
}

void add_larger(Frontier larger, Frontier& all) {
  all.seconds += larger.seconds;
  add_warnings(all.warnings, larger.warnings);
  if (all.failure.empty()) all.failure = larger.failure;
  if (!all.failure.empty()) return;
  std::move(larger.tried.begin(), larger.tried.end(), std::back_inserter(all.tried));
  std::move(larger.points.begin(), larger.points.end(), std::back_inserter(all.points));
  use_the_best_within(all);
}

std::uint64_t count_features(const Problem& problem, const std::atomic<bool>* stop) {
  const Survey* survey = problem.train->survey();
  if (survey == nullptr) return 0;
  std::vector<std::uint64_t> met;  // one bit a slot
  std::uint64_t features = 0;
  parallel_in_order(
      survey->blocks, [&](std::size_t k) { return problem.train->block(k); },
      [&](std::size_t, const BlockPtr& block) {
        if (stop != nullptr && *stop) throw Interrupted(problem.train->name() + ": interrupted");
        if (met.size() * 64 < block->slot_end) met.resize(block->slot_end / 64 + 1);
        for (const std::uint32_t slot : block->all_slots()) {
          std::uint64_t& word = met[slot / 64];
          const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
          features += (word & bit) == 0 ? 1 : 0;
          word |= bit;
        }
      });
  return on_all_ranks(*problem.features, features);
}

}  // namespace thresh
