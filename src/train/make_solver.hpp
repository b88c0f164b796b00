// The solver of a run, made from what the run knows; the model that it continues from; and the
// features that it must keep.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/setup.hpp"

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

// Gives a solver that has not begun the weights of a model. Throws Error if the model is of other
// data, or over the budget.
void start_from(const Model& model, RunContext& run, Solver& solver);

// Features that had a name in the old model have it in the new one.
void keep_names(const Model& old, Model& now);

// Options::keep.
struct RequiredFeature {
  std::string name;  // as it was asked for
  std::uint32_t slot;
};

// By slot, each once. Throws Error for a feature that the data do not have.
std::vector<RequiredFeature> required_features(const RunContext& run);

// Warns of required features that have no weight although all rows have been shown.
void warn_of_missing_required(RunContext& run, const Solver& solver);

}  // namespace thresh
