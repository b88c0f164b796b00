#include "select/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "select/side_by_side.hpp"
#include "select/ticks.hpp"
#include "sparse/parallel.hpp"
#include "thresh/cluster.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

// Rejected options are the candidate's own failure; other errors concern the rows.
Trial to_trial(const Attempt& attempt) {
  Trial trial;
  if (attempt.error) {
    try {
      std::rethrow_exception(attempt.error);
    } catch (const UsageError& error) {
      trial.failure = error.what();
      return trial;
    }
  }
  const FitResult& result = *attempt.result;
  const TracePoint& last = result.last;
  trial.error = *last.valid_error;
  trial.error_se = *last.valid_error_se;
  trial.loss = *last.valid_loss;
  trial.rows = last.valid_rows;
  trial.nonzeros = last.at.nonzeros;
  trial.warnings = result.warnings;
  trial.failure = failure_of(result.status, last);
  return trial;
}

bool was_stopped(const Attempt& attempt) {
  if (attempt.result) return attempt.result->status.outcome == Outcome::stopped;
  try {
    std::rethrow_exception(attempt.error);
  } catch (const Interrupted&) {
    return true;
  } catch (...) {
    return false;
  }
}

template <class Value>
Estimate estimate(const std::vector<Trial>& trials, const Value& value) {
  std::vector<double> values;
  values.reserve(trials.size());
  for (const Trial& trial : trials) values.push_back(value(trial));
  return estimate_of(values);
}

}  // namespace

Estimate estimate_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Estimate estimate;
  for (const double value : values) estimate.mean += value / n;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) {
    squares += (value - estimate.mean) * (value - estimate.mean);
  }
  estimate.se = std::sqrt(squares / (n - 1) / n);
  return estimate;
}

void summarise(Judged& judged) {
  for (std::size_t f = 0; f < judged.trials.size() && judged.failure.empty(); ++f) {
    const std::string& failure = judged.trials[f].failure;
    if (failure.empty()) continue;
    judged.failure =
        judged.trials.size() > 1 ? fmt::format("fold {}: {}", f + 1, failure) : failure;
  }
  if (!judged.failure.empty()) return;
  judged.error = estimate(judged.trials, [](const Trial& trial) { return trial.error; });
  judged.loss = estimate(judged.trials, [](const Trial& trial) { return trial.loss; });
  judged.nonzeros = estimate(
      judged.trials, [](const Trial& trial) { return static_cast<double>(trial.nonzeros); });
  if (judged.trials.size() == 1) judged.error.se = judged.trials.front().error_se;
}

bool better(const Judged& a, const Judged& b, By by) {
  const auto key = [&](const Judged& j) {
    const double first = by == By::error ? j.error.mean : j.loss.mean;
    const double second = by == By::error ? j.loss.mean : j.error.mean;
    // A candidate that reached a later rung of the halving was better before.
    return std::tuple(!j.failure.empty(), -static_cast<double>(j.rung), first, second,
                      j.nonzeros.mean);
  };
  return key(a) < key(b);
}

Judge::Judge(const Problem& problem, std::uint64_t folds, std::size_t trials, StateFile* state,
             SelectObserver* observer)
    : problem_(problem), folds_(folds), trials_(trials), state_(state), observer_(observer) {
  if (problem.train->survey() == nullptr) {
    throw UsageError(
        "choosing among candidates needs several passes, but this input can be read only once");
  }
}

// Limits the group so that weights fit in memory and results arrive regularly.
std::size_t Judge::group_size(const Options& options) const {
  // Trials of a group end together, so a killed search loses all of them.
  // Ranks may have different numbers of cores, but must make the same groups.
  const std::uint64_t ranks = options.ranks != nullptr ? options.ranks->size() : 0;
  const std::uint64_t workers = ranks > 0 ? ranks : cores();
  const std::uint64_t most = state_ != nullptr ? std::max<std::uint64_t>(2, workers)
                                               : 32 * std::max<std::uint64_t>(1, ranks);
  constexpr std::uint64_t kWeights = std::uint64_t{1} << 26;
  const Survey* survey = problem_.train->survey();
  std::uint64_t weights = std::max<std::uint64_t>(1, survey->dimension);
  const bool classes = options.task == Task::classification && survey->labels.size() > 2;
  if (classes) weights *= survey->labels.size();
  return std::clamp<std::uint64_t>(kWeights / weights, std::min(workers, most), most);
}

std::vector<Judged> Judge::judge(const std::vector<Candidate>& candidates) {
  std::vector<Judged> judged(candidates.size());
  std::vector<Pending> pending;
  const std::uint64_t folds = std::max<std::uint64_t>(1, folds_);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    judged[i].candidate = candidates[i];
    judged[i].trials.resize(folds);
  }
  // By fold, because trials of a fold see the same rows.
  for (std::size_t fold = 0; fold < folds; ++fold) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Candidate run = candidates[i];
      Options& options = run.options;
      options.folds = folds_;
      options.fold = fold;
      if (folds_ > 0) options.holdout = 0;
      if (folds_ == 0 && options.holdout == 0 && !problem_.valid) {
        throw UsageError("there are no validation rows; hold some out");
      }
      const auto known = state_ != nullptr ? state_->find(run) : std::nullopt;
      if (known) {
        judged[i].trials[fold] = *known;
        ++done_;
      } else {
        pending.push_back({i, fold, std::move(run)});
      }
    }
  }
  tell(0);
  // Sorted by scale, because trials of a group see the same rows.
  std::stable_sort(pending.begin(), pending.end(),
                   [](const Pending& a, const Pending& b) { return a.run.scale < b.run.scale; });
  for (auto first = pending.begin(); first != pending.end();) {
    const auto most = std::min<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(group_size(first->run.options)), pending.end() - first);
    const auto last = std::find_if(first, first + most, [&](const Pending& each) {
      return each.run.scale != first->run.scale;
    });
    run_group({first, last}, judged);
    first = last;
  }
  for (Judged& each : judged) summarise(each);
  return judged;
}

const Problem& Judge::problem_for(const Candidate& run) {
  const FeatureScale scale = run.scale.value_or(FeatureScale::automatic);
  if (kept_ && kept_scale_ == scale) return *kept_;
  kept_.reset();  // frees the old rows first: memory holds only one set
  kept_ = held_in_memory(with_scale(problem_, scale, run.options.stop), run.options.memory);
  kept_scale_ = scale;
  return *kept_;
}

void Judge::run_group(const std::vector<Pending>& group, std::vector<Judged>& judged) {
  std::vector<Options> options;
  options.reserve(group.size());
  for (const Pending& pending : group) {
    options.push_back(pending.run.options);
    hold_out_by_options(options.back());
  }
  Ticks ticks(options, [this](double under_way) { tell(under_way); });
  const std::vector<Attempt> attempts =
      try_all(problem_for(group.front().run), options, ticks.observers());
  bool stopped = false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (was_stopped(attempts[i])) {
      stopped = true;
      continue;
    }
    const Trial trial = to_trial(attempts[i]);
    judged[group[i].candidate].trials[group[i].fold] = trial;
    if (state_ != nullptr) state_->add(group[i].run, trial);
  }
  if (state_ != nullptr) state_->flush();
  if (stopped) throw Interrupted(problem_.train->name() + ": interrupted");
  done_ += group.size();
  tell(0);
}

void Judge::tell(double under_way) {
  if (observer_ == nullptr) return;
  const double done = static_cast<double>(done_) + under_way;
  observer_->on_progress(
      {done_, trials_, done / static_cast<double>(std::max<std::size_t>(1, trials_))});
}

std::vector<Judged> cross_validate(const Problem& problem, const std::vector<Candidate>& candidates,
                                   std::uint64_t folds, SelectObserver* observer) {
  const std::size_t trials = candidates.size() * std::max<std::uint64_t>(1, folds);
  return Judge(problem, folds, trials, nullptr, observer).judge(candidates);
}

}  // namespace thresh
