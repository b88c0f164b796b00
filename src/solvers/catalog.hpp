// The one list of solvers. The program, the documentation and the tests read it.
#pragma once

#include <memory>
#include <string>

#include "solvers/solver.hpp"
#include "thresh/options.hpp"

namespace thresh {

// All that a solver is made from. Options have been checked against the catalog.
struct SolverSetup {
  const Options& options;
  const SolverInfo& info;
  std::uint64_t max_nonzeros = kUnlimited;  // the feature budget

  // The value of one of the solver's own numbers, or its default.
  double number(const std::string& name) const;
  StepSize step_size() const;
};

struct CatalogEntry {
  SolverInfo info;
  std::unique_ptr<OnlineSolver> (*make)(const SolverSetup& setup);
};

// The entry of that name. Throws UsageError with the nearest name for one that does not exist.
const CatalogEntry& find_solver(const std::string& name);

// Throws UsageError for options that are out of range, contradictory or foreign to the solver.
void check_options(const Options& options);

// The candidate that looks most like `word`, or "" if none does.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace thresh
