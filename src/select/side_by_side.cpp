#include "select/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "data/bytes.hpp"
#include "data/sources.hpp"
#include "select/lane.hpp"
#include "select/ticks.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "train/as_wanted.hpp"

namespace thresh {
namespace {

// All that decides which rows come when, with which labels and weights.
auto rows_of(const Options& options) {
  return std::tie(options.order, options.seed, options.holdout, options.folds, options.fold,
                  options.weights_file, options.balanced_classes, options.task, options.positive,
                  options.positive_name);
}

using Numbers = std::vector<std::size_t>;

// Whether the rows are brought to one scale for a candidate, and are centred then.
std::pair<bool, bool> look_of(const Problem& problem, const Options& options) {
  const bool scaled = may_be_scaled(problem, options);
  return {scaled, scaled && options.intercept};
}

std::vector<Numbers> find_lanes(const Problem& problem, const std::vector<Options>& candidates) {
  std::vector<Numbers> lanes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto same = [&](const Numbers& lane) {
      const Options& one = candidates[lane.front()];
      return rows_of(one) == rows_of(candidates[i]) &&
             look_of(problem, one) == look_of(problem, candidates[i]);
    };
    const auto found = std::find_if(lanes.begin(), lanes.end(), same);
    if (found != lanes.end()) {
      found->push_back(i);
    } else {
      lanes.push_back({i});
    }
  }
  return lanes;
}

// Whether the cores share each lane's members, or the lanes: what leaves no core idle. Full lanes
// one after the other need less memory at a time.
bool shares_inside(const std::vector<Numbers>& lanes) {
  const auto full = [](const Numbers& lane) { return lane.size() >= 2 * cores(); };
  return lanes.size() < cores() || std::all_of(lanes.begin(), lanes.end(), full);
}

}  // namespace

std::string failure_of(const Status& status, const TracePoint& last) {
  if (last.valid_loss && last.valid_weight == 0) return "all held-out rows have weight zero";
  if (status.outcome == Outcome::diverged) return "diverged: " + status.reason;
  if (last.valid_loss && !(std::isfinite(*last.valid_error) && std::isfinite(*last.valid_loss))) {
    return "diverged: the loss on the held-out rows is not finite";
  }
  return "";
}

Problem keep_rows(const Problem& problem, std::uint64_t memory) {
  Problem kept = problem;
  const auto keep = [&](std::shared_ptr<RowSource>& source) {
    if (!source || source->survey() == nullptr) return;
    if (std::dynamic_pointer_cast<RetainingSource>(source)) return;
    source = std::make_shared<RetainingSource>(source, memory);
  };
  keep(kept.train);
  keep(kept.valid);
  return kept;
}

std::vector<Attempt> try_all(const Problem& problem, const std::vector<Options>& candidates,
                             const std::vector<Observer*>& observers) {
  std::uint64_t memory = 0;
  for (const Options& options : candidates) memory = std::max(memory, options.memory);
  std::vector<Attempt> attempts(candidates.size());
  const std::vector<Numbers> lanes = find_lanes(problem, candidates);
  if (lanes.size() > 1 && problem.train->survey() == nullptr) {
    throw UsageError("these options need more than one look at rows that come only once");
  }
  std::map<std::pair<bool, bool>, Problem> kept;
  for (const Numbers& lane : lanes) {
    const Options& one = candidates[lane.front()];
    const auto look = look_of(problem, one);
    if (!kept.contains(look)) kept[look] = keep_rows(as_wanted(problem, one), memory);
  }
  const bool inside = shares_inside(lanes);
  const auto drive = [&](std::size_t i) {
    const Problem& rows = kept.at(look_of(problem, candidates[lanes[i].front()]));
    Lane(rows, candidates, observers, attempts, inside).drive(lanes[i]);
  };
  if (inside) {
    for (std::size_t i = 0; i < lanes.size(); ++i) drive(i);
  } else {
    parallel_for(lanes.size(), drive);
  }
  return attempts;
}

std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               const std::vector<Observer*>& observers) {
  std::vector<Attempt> attempts = try_all(problem, candidates, observers);
  std::vector<FitResult> results;
  results.reserve(attempts.size());
  for (Attempt& attempt : attempts) {
    if (attempt.error) std::rethrow_exception(attempt.error);
    results.push_back(std::move(*attempt.result));
  }
  return results;
}

std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               SelectObserver& observer) {
  const auto all = static_cast<double>(candidates.size());
  Ticks ticks(candidates, [&](double under_way) {
    observer.on_progress({0, candidates.size(), under_way / all});
  });
  std::vector<FitResult> results = fit_all(problem, candidates, ticks.observers());
  for (const FitResult& result : results) {
    if (result.status.outcome == Outcome::stopped) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
  }
  return results;
}

}  // namespace thresh
