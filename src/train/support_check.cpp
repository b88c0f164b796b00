#include "train/support_check.hpp"

#include <algorithm>

#include "cluster/slice_sums.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Of the next so many rows, on all ranks; unlimited if not all of these rows are here.
std::uint64_t entries_of(std::span<const Row> ahead, std::uint64_t rows,
                         const FeatureMap& features) {
  if (ahead.size() < rows) return kUnlimited;
  std::uint64_t entries = 0;
  for (const Row& row : ahead.first(rows)) entries += row.size;
  return on_all_ranks(features, entries);
}

}  // namespace

SupportCheck::SupportCheck(const RunContext& run, Guard& guard, const RunLog& log)
    : run_(run),
      guard_(guard),
      log_(log),
      // Without a shared budget such a solver stops by itself, each class at its own budget.
      stops_(run.options.at_budget == AtBudget::stop &&
             (!run.entry.info.stops_at_budget || run.options.shared_budget)),
      needed_((run.setup.max_nonzeros != kUnlimited || log.marks.at_densities()) &&
              !guard.solver().counts_freely()),
      next_(needed_ ? 1 : 0) {
  if (stops_ && run.classes() > 0 && !run.options.shared_budget) {
    throw UsageError("--at-budget stop with more than two classes requires --shared-budget");
  }
}

std::uint64_t SupportCheck::next_mark() const {
  if (needed_ || (!stops_ && !log_.marks.at_densities())) return kUnlimited;
  const std::uint64_t mark =
      log_.marks.next_nonzeros(std::max(log_.densest(), guard_.solver().all_nonzeros()));
  return stops_ ? std::min(mark, run_.setup.max_nonzeros + 1) : mark;
}

bool SupportCheck::reaches(std::uint64_t mark, std::span<const Row> ahead) {
  const LinearState& state = guard_.solver().state();
  if (!needed_) {
    if (mark == kUnlimited && !stops_) return false;
    const std::uint64_t nonzeros = guard_.solver().all_nonzeros();
    above_ = nonzeros > run_.setup.max_nonzeros;
    return nonzeros >= mark;
  }
  if (state.examples < next_) return false;
  // By the rows of the pass, and not of all data: a pipe's rows are not known in advance.
  const std::uint64_t rows = stops_ ? 1 : std::max<std::uint64_t>(1, log_.rows_in_pass() / 100);
  next_ = state.examples + rows;
  // A check that cannot be the last one within the budget or before the mark may be left out.
  const std::uint64_t coming = entries_of(ahead, rows, *run_.problem.features);
  bool reached = false;
  if (coming > room_) {
    mark = log_.marks.next_nonzeros(log_.densest());
    reached = count(mark) >= mark;
  }
  room_ -= std::min(room_, coming);
  return reached;
}

bool SupportCheck::above_at_end_of_pass() {
  if (!stops_) return false;
  above_ = (needed_ ? count(kUnlimited) : guard_.solver().all_nonzeros()) > run_.setup.max_nonzeros;
  return above_;
}

// The support of the settled weights, which are saved if they are within the budget.
std::uint64_t SupportCheck::count(std::uint64_t mark) {
  Solver& solver = guard_.solver();
  const std::uint64_t budget = run_.setup.max_nonzeros;
  const bool shared = run_.problem.features->share().has_value();
  const auto counted = shared ? std::nullopt : solver.settled_nonzeros();
  if (!counted || *counted <= budget || *counted >= mark) {
    solver.settle();
    solver.save_within(budget);
  }
  const std::uint64_t nonzeros = counted ? *counted : solver.all_nonzeros();
  above_ = nonzeros > budget;
  const std::uint64_t most = std::min(budget, mark - 1);
  room_ = solver.grows_by_entries() && nonzeros < most ? most - nonzeros : 0;
  return nonzeros;
}

}  // namespace thresh
