// The search: all candidates, or successive halving (Jamieson & Talwalkar 2016) with factor 3, and
// the selection.

#include <algorithm>
#include <memory>

#include "select/judge.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

constexpr std::size_t kFactor = 3;

// A fraction of a run's passes or steps, at least one.
Options shortened(Options options, std::size_t divisor, const Survey* survey) {
  if (divisor == 1) return options;
  const auto part = [&](std::uint64_t whole) { return (whole + divisor - 1) / divisor; };
  options.passes = part(passes_of(options, survey));
  if (options.steps) options.steps = part(*options.steps);
  return options;
}

std::size_t power_of_factor(std::size_t exponent) {
  std::size_t power = 1;
  for (; exponent > 0; --exponent) power *= kFactor;
  return power;
}

// How often n can be divided by the factor.
std::size_t halvings(std::uint64_t n) {
  std::size_t times = 0;
  for (; n >= kFactor; n /= kFactor) ++times;
  return times;
}

// The last rung, counted from 0, where runs have full length. More rungs than the candidates or the
// shortest run can be divided into would repeat each other.
std::size_t last_rung(const std::vector<Candidate>& candidates, Search search,
                      const Survey* survey) {
  if (search == Search::all) return 0;
  std::size_t rungs = halvings(candidates.size());
  for (const Candidate& candidate : candidates) {
    const Options& options = candidate.options;
    rungs = std::min(rungs, halvings(options.steps.value_or(passes_of(options, survey))));
  }
  return rungs;
}

std::size_t survivors(std::size_t candidates) {
  return (candidates + kFactor - 1) / kFactor;
}

std::size_t count_trials(std::size_t candidates, std::size_t rungs, std::uint64_t folds) {
  std::size_t trials = candidates;
  for (; rungs > 0; --rungs) trials += candidates = survivors(candidates);
  return trials * std::max<std::uint64_t>(1, folds);
}

void refuse_what_all_refuse(const std::vector<Candidate>& candidates) {
  std::string reason;
  for (const Candidate& candidate : candidates) {
    try {
      check_options(candidate.options);
      return;
    } catch (const UsageError& error) {
      if (reason.empty()) reason = error.what();
    }
  }
  throw UsageError(reason.empty() ? "there are no candidates" : reason);
}

// Candidates with different losses are compared by RMSE.
std::vector<Candidate> comparable(std::vector<Candidate> candidates, By by) {
  const auto same = [&](const Candidate& other) {
    const Options &a = candidates.front().options, &b = other.options;
    const std::optional<Loss> loss = loss_of(a);
    return loss == loss_of(b) && (loss != Loss::huber || a.huber_delta == b.huber_delta) &&
           (loss != Loss::quantile || a.quantile == b.quantile);
  };
  if (std::all_of(candidates.begin(), candidates.end(), same)) return candidates;
  if (by == By::loss) {
    throw UsageError("--by loss cannot compare different losses; use --by error");
  }
  for (Candidate& each : candidates) {
    if (loss_of(each.options) == Loss::quantile) {
      throw UsageError(
          "the loss quantile cannot be compared with other losses or quantiles, because it "
          "predicts "
          "something else");
    }
    each.options.by_rmse = true;
  }
  return candidates;
}

std::vector<Judged> search(const std::vector<Candidate>& candidates, std::size_t rungs,
                           const Survey* survey, By by, Judge& judge) {
  std::vector<Candidate> left = candidates;
  std::vector<Judged> out;  // eliminated candidates
  const auto first_better = [by](const Judged& a, const Judged& b) { return better(a, b, by); };
  for (std::size_t rung = 0;; ++rung) {
    std::vector<Candidate> runs = left;
    const std::size_t divisor = power_of_factor(rungs - rung);
    for (Candidate& run : runs) run.options = shortened(run.options, divisor, survey);
    std::vector<Judged> judged = judge.judge(runs);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      judged[i].rung = rung;
      judged[i].candidate = left[i];
    }
    std::stable_sort(judged.begin(), judged.end(), first_better);
    const std::size_t keep = rung < rungs ? survivors(judged.size()) : 0;
    left.clear();
    for (std::size_t i = 0; i < keep && judged[i].failure.empty(); ++i) {
      left.push_back(judged[i].candidate);
    }
    out.insert(out.end(), judged.begin() + static_cast<std::ptrdiff_t>(left.size()), judged.end());
    if (left.empty()) break;
  }
  std::stable_sort(out.begin(), out.end(), first_better);
  return out;
}

// The best candidate, which comes first; with one_se the smallest within one standard error of it.
std::optional<std::size_t> choose(const std::vector<Judged>& sorted, const TuneOptions& options) {
  if (!sorted.front().failure.empty()) return std::nullopt;
  if (!options.one_se) return 0;
  const auto measure = [&](const Judged& judged) -> const Estimate& {
    return options.by == By::error ? judged.error : judged.loss;
  };
  const Estimate& best = measure(sorted.front());
  const double limit = best.mean + best.se.value_or(0);
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const bool candidate = sorted[i].failure.empty() && sorted[i].rung == sorted.front().rung;
    if (candidate && measure(sorted[i]).mean <= limit &&
        sorted[i].nonzeros.mean < sorted[chosen].nonzeros.mean) {
      chosen = i;
    }
  }
  return chosen;
}

}  // namespace

TuneResult tune(const Problem& problem, const std::vector<Candidate>& given,
                const TuneOptions& options, SelectObserver* observer) {
  refuse_what_all_refuse(given);
  const std::vector<Candidate> candidates = comparable(given, options.by);
  std::unique_ptr<StateFile> state;
  if (!options.state_file.empty()) state = std::make_unique<StateFile>(options.state_file, problem);
  const Survey* const survey = problem.train->survey();
  const std::size_t rungs = last_rung(candidates, options.search, survey);
  Judge judge(problem, options.folds, count_trials(candidates.size(), rungs, options.folds),
              state.get(), observer);
  TuneResult result;
  result.candidates = search(candidates, rungs, survey, options.by, judge);
  result.chosen = choose(result.candidates, options);
  return result;
}

Options for_all_rows(const Options& options) {
  Options all = options;
  all.holdout = 0;
  all.folds = 0;
  all.fold = 0;
  return all;
}

}  // namespace thresh
