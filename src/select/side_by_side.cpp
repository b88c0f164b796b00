#include "select/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "data/read/sources.hpp"
#include "select/lane.hpp"
#include "select/ticks.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/checkpoint.hpp"
#include "thresh/cluster.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "thresh/threads.hpp"
#include "train/screened.hpp"

namespace thresh {
namespace {

// All that decides which rows come when, with which labels and weights.
auto rows_of(const Options& options) {
  return std::tuple_cat(
      std::tie(options.order, options.seed, options.holdout, options.folds, options.fold,
               options.weights_file, options.balanced_classes, options.class_weights, options.task,
               options.positive, options.positive_name),
      std::make_tuple(options.loss == Loss::poisson));
}

// The rows as candidates want them, held in memory, once for all that want the same.
class WantedRows {
 public:
  WantedRows(const Problem& problem, std::uint64_t memory) : problem_(problem), memory_(memory) {}

  const Problem* get(const Options& options) {
    if (!may_be_scaled(problem_, options)) return plain();
    std::unique_ptr<Problem>& scaled = scaled_[options.intercept ? 1 : 0];
    if (!scaled) scaled = std::make_unique<Problem>(scaled_for_solver(problem_, options));
    if (scaled->train == problem_.train) return plain();
    *scaled = held_in_memory(*scaled, memory_);
    return scaled.get();
  }

 private:
  const Problem* plain() {
    if (!plain_) plain_ = std::make_unique<Problem>(held_in_memory(problem_, memory_));
    return plain_.get();
  }

  const Problem& problem_;
  std::uint64_t memory_;
  std::unique_ptr<Problem> plain_;
  std::array<std::unique_ptr<Problem>, 2> scaled_;  // without and with an intercept
};

struct LaneRows {
  const Problem* problem;
  std::vector<std::size_t> candidates;  // by number
};

std::vector<LaneRows> find_lanes(const std::vector<Options>& candidates, WantedRows& wanted) {
  std::vector<LaneRows> lanes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Problem* problem = wanted.get(candidates[i]);
    const auto same = [&](const LaneRows& lane) {
      return lane.problem == problem &&
             rows_of(candidates[lane.candidates.front()]) == rows_of(candidates[i]);
    };
    const auto found = std::find_if(lanes.begin(), lanes.end(), same);
    if (found != lanes.end()) {
      found->candidates.push_back(i);
    } else {
      lanes.push_back({problem, {i}});
    }
  }
  return lanes;
}

// Whether the cores share each lane's members, or the lanes: what leaves no core idle. Full lanes
// one after the other need less memory at a time.
bool shares_inside(const std::vector<LaneRows>& lanes) {
  const auto full = [](const LaneRows& lane) { return lane.candidates.size() >= 2 * cores(); };
  return lanes.size() < cores() || std::all_of(lanes.begin(), lanes.end(), full);
}

// The most threads that one of the candidates asks for: they work side by side.
std::size_t threads_of(const std::vector<Options>& candidates) {
  std::size_t most = candidates.empty() ? 0 : candidates.front().threads;
  for (const Options& options : candidates) {
    most = most == 0 || options.threads == 0 ? 0 : std::max(most, options.threads);
  }
  return most;
}

std::string without_numbers(const std::string& text) {
  constexpr std::string_view kInside = ".,e+-";
  std::string kept;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    in_number = digit || (in_number && kInside.find(c) != std::string_view::npos);
    if (!in_number) kept += c;
  }
  return kept;
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

Problem held_in_memory(Problem problem, std::uint64_t limit) {
  problem.train = held_in_memory(problem.train, limit);
  problem.valid = held_in_memory(problem.valid, limit);
  return problem;
}

namespace {

std::vector<Attempt> try_here(const Problem& problem, const std::vector<Options>& candidates,
                              const std::vector<Observer*>& observers, std::uint64_t call) {
  const ThreadLimit limit(threads_of(candidates));
  std::uint64_t memory = 0;
  for (const Options& options : candidates) {
    if (options.delta) throw UsageError("--delta applies only to a single training run");
    memory = std::max(memory, options.memory);
  }
  std::vector<Attempt> attempts(candidates.size());
  WantedRows wanted(problem, memory);
  const std::vector<LaneRows> lanes = find_lanes(candidates, wanted);
  if (lanes.size() > 1 && problem.train->survey() == nullptr) {
    throw UsageError("these options need several passes, but this input can be read only once");
  }
  Checkpoint* const checkpoint = candidates.empty() ? nullptr : candidates.front().checkpoint;
  const bool inside = shares_inside(lanes);
  const auto drive = [&](std::size_t i) {
    const LaneRows& lane = lanes[i];
    const SavedLane saved(checkpoint, fmt::format("call {} lane {}", call, i), *problem.features);
    Lane(*lane.problem, candidates, observers, attempts, inside).drive(lane.candidates, saved);
  };
  if (inside) {
    for (std::size_t i = 0; i < lanes.size(); ++i) drive(i);
  } else {
    parallel_for(lanes.size(), drive);
  }
  return attempts;
}

// All ranks screen for one candidate after the other, as many as there are ranks. Then each has the
// rows for one of them, and trains it.
std::vector<Attempt> try_screened(const Problem& problem, const std::vector<Options>& candidates,
                                  const std::vector<Observer*>& observers) {
  const auto& share = problem.features->share();
  Comm* const comm = share ? share->comm : nullptr;
  const std::size_t ranks = comm != nullptr ? comm->size() : 1;
  const Problem held = held_in_memory(problem, candidates.front().memory);
  std::vector<Attempt> attempts;
  while (attempts.size() < candidates.size()) {
    const std::size_t first = attempts.size();
    const std::size_t count = std::min(ranks, candidates.size() - first);
    Problem own;
    std::vector<Options> round;
    std::vector<Observer*> watching;
    for (std::size_t i = 0; i < count; ++i) {
      const Options& options = candidates[first + i];
      Screened screened =
          needs_screening(options) ? screen(held, options, i) : Screened{held, options};
      round.push_back(screened.options);
      round.back().ranks = comm;
      if (!observers.empty()) watching.push_back(observers[first + i]);
      if (comm == nullptr || comm->rank() == i) own = std::move(screened.problem);
    }
    const auto here = [&](const std::vector<Options>& some, const std::vector<Observer*>& theirs) {
      return try_here(own, some, theirs, 0);
    };
    for (Attempt& attempt :
         comm != nullptr ? try_on_ranks(round, watching, 0, here) : here(round, watching)) {
      if (attempt.result) record_slices(candidates[attempts.size()], *attempt.result);
      attempts.push_back(std::move(attempt));
    }
  }
  return attempts;
}

}  // namespace

std::vector<Attempt> try_all(const Problem& problem, const std::vector<Options>& candidates,
                             const std::vector<Observer*>& observers) {
  if (candidates.empty()) return {};
  if (std::any_of(candidates.begin(), candidates.end(), needs_screening)) {
    return try_screened(problem, candidates, observers);
  }
  Checkpoint* const checkpoint = candidates.front().checkpoint;
  const std::uint64_t call = checkpoint != nullptr ? checkpoint->next_call() : 0;
  const auto here = [&](const std::vector<Options>& some, const std::vector<Observer*>& theirs) {
    return try_here(problem, some, theirs, call);
  };
  std::vector<Attempt> attempts = try_on_ranks(candidates, observers, call, here);
  return attempts.empty() ? here(candidates, observers) : std::move(attempts);
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

void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more) {
  // Warnings of one run are all added, even if they differ only in numbers.
  const std::vector<std::string> before = all;
  for (const std::string& text : more) {
    const auto same = [&](const std::string& told) {
      return without_numbers(told) == without_numbers(text);
    };
    if (std::none_of(before.begin(), before.end(), same)) all.push_back(text);
  }
}

}  // namespace thresh
