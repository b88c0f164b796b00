// The solver of a run, made from what the run knows.
#pragma once

#include <memory>

#include "train/context.hpp"

namespace thresh {

// The user's step, or one that is safe. Warns where the default was too large, or the user's is.
double choose_eta(RunContext& run);

// How large steps are: eta, and the share of it that divergences have left.
struct Steps {
  double eta = kDefaultEta;
  double scale = 1;
};

SolverSetup solver_setup(const RunContext& run, const Steps& steps);
// One solver, or one for each of several classes.
std::unique_ptr<Solver> make_solver(const RunContext& run, const Steps& steps);

}  // namespace thresh
