#include "thresh/fit.hpp"

#include "solvers/catalog.hpp"
#include "train/run.hpp"

namespace thresh {

FitResult fit(const Problem& problem, const Options& options, const Model* start,
              Observer* observer) {
  check_options(options);
  struct Nobody : Observer {
    bool wants_progress(const Progress&) const override { return false; }
  } nobody;
  Run run(problem, options, observer != nullptr ? *observer : nobody);
  if (start != nullptr) run.start_from(*start);
  return run.train();
}

}  // namespace thresh
