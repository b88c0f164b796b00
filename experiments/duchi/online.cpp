#include "duchi/online.hpp"

#include <algorithm>
#include <limits>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

// What came of the rows so far.
struct Tally {
  std::uint64_t examples = 0, errors = 0, seen = 0;
  double loss = 0;
  std::vector<char> occurred;  // by slot
};

void count(const Row& row, double margin, const LossFunction& loss, Tally& tally) {
  ++tally.examples;
  tally.loss += loss.value(margin, row.label);
  if ((margin > 0) != (row.label > 0)) ++tally.errors;
  for (std::size_t k = 0; k < row.size; ++k) {
    char& occurred = tally.occurred[row.slots[k]];
    tally.seen += occurred == 0 ? 1 : 0;
    occurred = 1;
  }
}

void add_point(Solver& solver, const Tally& tally, Json& curves) {
  solver.settle();
  curves["examples"].push_back(tally.examples);
  curves["loss"].push_back(tally.loss);
  curves["errors"].push_back(tally.errors);
  curves["nonzeros"].push_back(solver.state().nonzeros);
  curves["seen"].push_back(tally.seen);
}

}  // namespace

Json learn_online(const DataSet& data, const Options& options) {
  const CatalogEntry& entry = find_solver(options.solver);
  SolverSetup setup{options, entry.info};
  setup.dimension = data.features;
  setup.rows = data.rows;
  setup.features = data.problem.features.get();
  setup.eta = options.eta.value_or(setup.eta);
  const std::unique_ptr<Solver> made = entry.make(setup);
  auto* solver = dynamic_cast<SlopeSolver*>(made.get());
  if (solver == nullptr) throw UsageError(options.solver + " does not learn from slopes");
  solver->ensure_slots(data.features);
  solver->begin();
  const LossFunction loss = setup.loss();
  Tally tally;
  tally.occurred.resize(data.features);
  Json curves;
  const std::uint64_t every = std::max<std::uint64_t>(1, data.rows / 40);
  for (std::size_t k = 0; const BlockPtr block = data.problem.train->block(k); ++k) {
    for (std::size_t i = 0; i < block->rows(); ++i) {
      const Row row = block->row(i);
      const double margin = solver->margin(row);
      count(row, margin, loss, tally);
      solver->learn(row, loss.slope(margin, row.label));
      if (solver->ended()) tally.loss = std::numeric_limits<double>::infinity();
      if (tally.examples % every == 0 || solver->ended()) add_point(*solver, tally, curves);
      if (solver->ended()) return curves;
    }
  }
  return curves;
}

}  // namespace thresh::experiments
