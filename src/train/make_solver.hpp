// Makes the solver of a run, with the model that it continues from and the required features.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/setup.hpp"

namespace thresh {

// The user's eta, or a safe one. Warns if the default or the user's is too large.
double choose_eta(RunContext& run);

// The step size: eta, and the factor by which divergences reduced it.
struct Steps {
  double eta = kDefaultEta;
  double scale = 1;
};

SolverSetup solver_setup(const RunContext& run, const Steps& steps);
// One solver, or one for each of several classes.
std::unique_ptr<Solver> make_solver(const RunContext& run, const Steps& steps);

// Sets the weights of a solver that has not begun to those of a model. Throws Error if the model
// belongs to other data or exceeds the budget.
void start_from(const Model& model, RunContext& run, Solver& solver);

// Copies the names of features from the old model to the new one.
void keep_names(const Model& old, Model& now);

// Options::keep.
struct RequiredFeature {
  std::string name;  // as the user wrote it
  std::uint32_t slot;
};

// By slot, without duplicates. Throws Error for a feature that is not in the data.
std::vector<RequiredFeature> required_features(const RunContext& run);

// Options::signs by slot; null if there are none. Throws Error for a feature that is not in the
// data.
std::shared_ptr<const Signs::BySlot> signs_of(const RunContext& run);
// The slot of a feature with this name or, without names, this index; with --interactions also of
// a product a*b. None: there is none.
std::optional<std::uint32_t> slot_named(const RunContext& run, const std::string& name);
// The groups of budget's option groups, likewise.
std::shared_ptr<const FeatureGroups> groups_of(const RunContext& run);

// Warns of required features that have no weight although all rows have been shown.
void warn_of_missing_required(RunContext& run, const Solver& solver);

}  // namespace thresh
