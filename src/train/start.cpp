// A run that continues from a model instead of beginning with zeros.

#include <fmt/format.h>

#include <algorithm>

#include "data/feed/feature_scales.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/record.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

// A feature that had a name keeps it.
void keep_names(const std::vector<Coefficient>& old, std::vector<Coefficient>& now) {
  auto known = old.begin();
  for (Coefficient& coefficient : now) {
    while (known != old.end() && known->index < coefficient.index) ++known;
    if (known == old.end()) return;
    if (known->index == coefficient.index) coefficient.name = known->name;
  }
}

}  // namespace

void Run::start_from(const Model& model) {
  start_ = &model;
  check_same_data(model, problem_, setup_.training.labels);
  std::uint64_t most = options_.shared_budget ? model.nonzeros() : model.coefficients.size();
  for (const ClassPart& part : model.classes) {
    most = std::max<std::uint64_t>(most, part.coefficients.size());
  }
  if (most > setup_.max_nonzeros) {
    throw Error(fmt::format("the model to start from has {} non-zeros, over the budget of {}", most,
                            setup_.max_nonzeros));
  }
  if (model.classes.empty()) start_part(*solver_, model.coefficients, model.intercept);
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    const ClassPart& part = model.classes[c];
    start_part(*solver_->parts()[c], part.coefficients, part.intercept);
  }
  solver_->keep_within(setup_.max_nonzeros);  // in case the first step already leaves the budget
  setup_.dimension = std::max(setup_.dimension, model.dimension);
  progress_.dimension =
      std::max(progress_.dimension, setup_.dimension * std::max<std::uint64_t>(1, classes()));
}

void Run::start_part(Solver& solver, const std::vector<Coefficient>& coefficients,
                     double intercept) {
  LinearState& state = solver.state();
  for (const Coefficient& coefficient : coefficients) {
    const std::uint64_t id = coefficient.index - (problem_.zero_based ? 0 : 1);
    const std::uint32_t slot = problem_.features->slot(id);
    solver_->ensure_slots(std::size_t{slot} + 1);
    state.weights[slot] = coefficient.weight * (problem_.scales ? problem_.scales->at(slot) : 1);
  }
  state.nonzeros = coefficients.size();
  if (!options_.intercept) return;
  state.intercept = intercept;
  if (problem_.scales) state.intercept += problem_.scales->at_centres(state.weights);
}

void Run::keep_names(Model& now) const {
  if (start_ == nullptr) return;
  thresh::keep_names(start_->coefficients, now.coefficients);
  for (std::size_t c = 0; c < now.classes.size(); ++c) {
    thresh::keep_names(start_->classes[c].coefficients, now.classes[c].coefficients);
  }
}

}  // namespace thresh
