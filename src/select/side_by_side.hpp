// The implementation of fit_all(). A candidate that fails does not end the others.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// The outcome of a candidate: a result, or the exception that fit() would throw.
struct Attempt {
  std::optional<FitResult> result;
  std::exception_ptr error;
};

// Makes a candidate that diverges fail instead of continuing with smaller steps, because its result
// must be that of its options.
inline void hold_out_by_options(Options& options) {
  if (options.on_divergence == OnDivergence::recover) options.on_divergence = OnDivergence::stop;
}

// Why the scores of a run on held-out rows are invalid; "" if they are valid, or there are none.
// `last` belongs to one of the models of the run.
std::string failure_of(const Status& status, const TracePoint& last);

// See fit_all(). `observers` has one for each candidate, or null.
std::vector<Attempt> try_all(const Problem& problem, const std::vector<Options>& candidates,
                             const std::vector<Observer*>& observers);

// The same on the ranks of the candidates' options: each trains some of them, and all get all
// results. Without ranks, the results of an earlier process that had some; empty if there are none.
// `train` trains candidates in this process.
using TrainHere = std::function<std::vector<Attempt>(const std::vector<Options>& candidates,
                                                     const std::vector<Observer*>& observers)>;
std::vector<Attempt> try_on_ranks(const std::vector<Options>& candidates,
                                  const std::vector<Observer*>& observers, std::uint64_t call,
                                  const TrainHere& train);

// One run like fit(), on the first rank; all get its result.
FitResult fit_on_one(const Problem& problem, const Options& options, Observer* observer);

// The problem with its rows held in memory, see held_in_memory() in data/read/sources.hpp. All runs
// on the result share this memory, also in different calls.
Problem held_in_memory(Problem problem, std::uint64_t limit);

}  // namespace thresh
