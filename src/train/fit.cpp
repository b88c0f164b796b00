#include "thresh/fit.hpp"

#include "solvers/catalog.hpp"
#include "thresh/threads.hpp"
#include "train/restarts.hpp"
#include "train/run.hpp"
#include "train/scaled_for_solver.hpp"

namespace thresh {

FitResult fit(const Problem& problem, const Options& options, const Model* start,
              Observer* observer) {
  check_options(options);
  if (options.delta) return best_of_runs(problem, options, start, observer);
  const ThreadLimit limit(options.threads);
  Nobody nobody;
  SideFiles files;
  const Problem wanted = scaled_for_solver(problem, options);
  Run run(wanted, options, observer != nullptr ? *observer : nobody, files);
  if (start != nullptr) run.start_from(*start);
  return run.train();
}

}  // namespace thresh
