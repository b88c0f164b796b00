#include "train/restarts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "thresh/error.hpp"
#include "train/record.hpp"

namespace thresh {
namespace {

// ceil(log2(1/delta)), exactly: the first r with 2^-r <= delta.
std::uint64_t runs_for(double delta) {
  int r = 1;
  while (std::ldexp(1.0, -r) > delta) ++r;
  return static_cast<std::uint64_t>(r);
}

bool is_better(const FitResult& a, const FitResult& b) {
  if (b.status.outcome == Outcome::diverged) return a.status.outcome != Outcome::diverged;
  return a.status.outcome != Outcome::diverged && *a.last.objective < *b.last.objective;
}

Finding theorem2(const FitResult& best, double delta, std::uint64_t runs, std::uint64_t done,
                 bool diverged, std::uint64_t seed) {
  Finding found{fmt::format("suboptimality with probability {:g}% (Theorem 2)", 100 * (1 - delta)),
                std::nullopt, ""};
  const auto no = [&](const std::string& why) {
    found.note = "does not apply: " + why;
    return found;
  };
  if (done < runs) return no(fmt::format("interrupted after {} of {} runs", done, runs));
  if (diverged) return no("a run diverged");
  if (best.theory.empty()) return no("it is about two classes");
  const Finding& expected = best.theory.front();
  if (!expected.value) {
    found.note = expected.note;
    return found;
  }
  found.value = 2 * *expected.value;
  found.note = fmt::format("best of {} runs: --seed {}; {}", runs, seed, expected.note);
  return found;
}

}  // namespace

FitResult best_of_runs(const Problem& problem, const Options& options, const Model* start,
                       Observer* observer) {
  const std::uint64_t runs = runs_for(*options.delta);
  Options one = options;
  one.delta.reset();
  // Only the end of a trace has the objective.
  one.trace = TraceAt{TraceAt::Kind::examples, std::numeric_limits<std::uint64_t>::max()};
  std::optional<FitResult> best;
  std::uint64_t done = 0, seed = options.seed;
  bool diverged = false;
  for (; done < runs; ++done) {
    one.seed = options.seed + done;
    try {
      FitResult result = fit(problem, one, start, observer);
      diverged = diverged || !result.divergences.empty();
      const bool stopped = result.status.outcome == Outcome::stopped;
      if (!best || is_better(result, *best)) {
        seed = one.seed;
        best = std::move(result);
      }
      if (stopped) break;
    } catch (const Interrupted&) {
      if (!best) throw;
      break;
    }
  }
  if (done < runs) best->status = {Outcome::stopped, "interrupted"};
  best->trace.clear();
  best->theory.push_back(theorem2(*best, *options.delta, runs, done, diverged, seed));
  best->model.summary = summary_record(best->status, *best);
  return std::move(*best);
}

}  // namespace thresh
