// The engine behind fit_all(): a candidate that fails is an answer, not the end of the others.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// What came of a candidate: a result, or what fit() would have thrown.
struct Attempt {
  std::optional<FitResult> result;
  std::exception_ptr error;
};

// Candidates are compared for what their options say, not for what smaller steps would make of
// them: one that diverges has failed.
inline void hold_out_by_options(Options& options) {
  if (options.on_divergence == OnDivergence::recover) options.on_divergence = OnDivergence::stop;
}

// Why what a run says of held-out rows means nothing; "" if it does not, or there are none. `last`
// is one of the models that the run came to.
std::string failure_of(const Status& status, const TracePoint& last);

// See fit_all(). `observers` has one for each candidate, or null.
std::vector<Attempt> try_all(const Problem& problem, const std::vector<Options>& candidates,
                             const std::vector<Observer*>& observers);

// The rows of a problem, held in memory: see held_in_memory() in data/read/sources.hpp. Runs that
// start from this share what is held, however many calls they are spread over.
Problem held_in_memory(Problem problem, std::uint64_t limit);

}  // namespace thresh
