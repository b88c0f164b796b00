#include "train/start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/feed/feature_scales.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/record.hpp"

namespace thresh {
namespace {

void keep_names(const std::vector<Coefficient>& old, std::vector<Coefficient>& now) {
  auto known = old.begin();
  for (Coefficient& coefficient : now) {
    while (known != old.end() && known->index < coefficient.index) ++known;
    if (known == old.end()) return;
    if (known->index == coefficient.index) coefficient.name = known->name;
  }
}

// `leaf` is the solver, or its part for one class.
void start_leaf(const std::vector<Coefficient>& coefficients, double intercept,
                const RunContext& run, Solver& solver, Solver& leaf) {
  const Problem& problem = run.problem;
  LinearState& state = leaf.state();
  for (const Coefficient& coefficient : coefficients) {
    const std::uint64_t id = coefficient.index - (problem.zero_based ? 0 : 1);
    const std::uint32_t slot = problem.features->slot(id);
    solver.ensure_slots(std::size_t{slot} + 1);
    state.weights[slot] = coefficient.weight * (problem.scales ? problem.scales->at(slot) : 1);
  }
  state.nonzeros = coefficients.size();
  if (!run.options.intercept) return;
  state.intercept = intercept;
  if (problem.scales) state.intercept += problem.scales->at_centres(state.weights);
}

}  // namespace

void start_from(const Model& model, RunContext& run, Solver& solver) {
  const std::uint64_t budget = run.setup.max_nonzeros;
  check_same_data(model, run.problem, run.setup.training.labels);
  std::uint64_t most = run.options.shared_budget ? model.nonzeros() : model.coefficients.size();
  for (const ClassPart& part : model.classes) {
    most = std::max<std::uint64_t>(most, part.coefficients.size());
  }
  if (most > budget) {
    throw Error(fmt::format("the model to start from has {} non-zeros, over the budget of {}", most,
                            budget));
  }
  if (model.classes.empty()) {
    start_leaf(model.coefficients, model.intercept, run, solver, solver);
  }
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    const ClassPart& part = model.classes[c];
    start_leaf(part.coefficients, part.intercept, run, solver, *solver.parts()[c]);
  }
  solver.save_within(budget);  // in case the first step already leaves the budget
  run.setup.dimension = std::max(run.setup.dimension, model.dimension);
}

void keep_names(const Model& old, Model& now) {
  keep_names(old.coefficients, now.coefficients);
  for (std::size_t c = 0; c < now.classes.size(); ++c) {
    keep_names(old.classes[c].coefficients, now.classes[c].coefficients);
  }
}

}  // namespace thresh
