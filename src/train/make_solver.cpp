#include "train/make_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/feed/feature_scales.hpp"
#include "data/names/vocabulary.hpp"
#include "loss/loss.hpp"
#include "solvers/budget/groups.hpp"
#include "solvers/multiclass/multiclass.hpp"
#include "thresh/error.hpp"
#include "train/record.hpp"
#include "train/recovery.hpp"

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
    if (slot == FeatureMap::kUnknown) continue;  // it is another rank's
    solver.ensure_slots(std::size_t{slot} + 1);
    state.weights[slot] = coefficient.weight * (problem.scales ? problem.scales->at(slot) : 1);
    ++state.nonzeros;
  }
  if (!run.options.intercept) return;
  state.intercept = intercept;
  if (problem.scales) state.intercept += problem.scales->at_centres(state.weights);
}

// A required feature brings its group.
void add_groups_of(std::vector<std::uint32_t>& kept, const FeatureGroups& groups) {
  std::vector<std::uint32_t> all = kept;
  for (const std::uint32_t slot : kept) {
    if (const auto* members = groups.of(slot)) {
      all.insert(all.end(), members->begin(), members->end());
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  kept = std::move(all);
}

// The deviance is twice the loss.
std::optional<double> error_in_losses(const Options& options) {
  switch (error_kind(options)) {
    case ErrorKind::deviance:
      return 2;
    case ErrorKind::huber:
    case ErrorKind::pinball:
      return 1;
    case ErrorKind::share:
    case ErrorKind::rmse:
      break;
  }
  return std::nullopt;
}

// Of the loss: its bound. That of poisson has none: a step may raise a typical rate e times.
double curvature_near(const RunContext& run) {
  const std::optional<double> bound = loss_function_of(run.options).curvature();
  return bound ? *bound : std::numbers::e * std::max(1.0, run.setup.target_size);
}

}  // namespace

// A step along one row's gradient is safe below 2 / (curvature |x|^2): it must not overshoot the
// row's own optimum by more than it was away from it. The long rows of the first block stand for
// all; what they do not show, the guard catches.
double choose_eta(RunContext& run) {
  const Options& options = run.options;
  const double length = run.setup.long_rows;
  const double eta = options.eta.value_or(kDefaultEta);
  const bool plain = run.entry.info.plain_steps && !needs_all_rows(options);
  if (!plain || length == 0 || has_bounded_slope(*loss_of(options))) return eta;
  const double curvature = curvature_near(run);
  const double limit = 2 / (curvature * (length * length + (options.intercept ? 1 : 0)));
  if (eta < limit || !std::isnormal(limit / 2)) return eta;
  if (options.eta) {
    run.warn(
        fmt::format("--eta {:g} is too large for rows as long as {:.3g}: from {:.3g} on steps "
                    "overshoot (--normalize l2 makes all rows short)",
                    eta, length, limit));
    return eta;
  }
  run.warn(fmt::format("eta is {:.3g}: the default of {:g} is too large for rows as long as {:.3g}",
                       limit / 2, eta, length));
  return limit / 2;
}

SolverSetup solver_setup(const RunContext& run, const Steps& steps) {
  SolverSetup setup{run.options,
                    run.entry.info,
                    run.setup.max_nonzeros,
                    run.setup.dimension,
                    run.setup.training_rows,
                    run.problem.features.get(),
                    run.setup.feature_labels};
  setup.row_length = run.setup.row_length;
  setup.target_size = run.setup.target_size;
  setup.target_mean = run.setup.target_mean;
  setup.target_spread = run.setup.target_spread;
  for (const RequiredFeature& required : required_features(run)) {
    setup.kept.push_back(required.slot);
  }
  setup.groups = groups_of(run);
  if (setup.groups) add_groups_of(setup.kept, *setup.groups);
  setup.all_steps = run.all_steps;
  setup.largest_value = run.largest_value;
  setup.weighted_rows = run.weighted_rows;
  setup.some_signs = signs_of(run);
  setup.zero_based = run.problem.zero_based;
  setup.eta = steps.eta;
  setup.step_scale = steps.scale;
  return setup;
}

std::unique_ptr<Solver> make_solver(const RunContext& run, const Steps& steps) {
  SolverSetup setup = solver_setup(run, steps);
  const Options& options = run.options;
  const LabelMap& labels = run.setup.training.labels;
  if (run.classes() == 0) {
    setup.class_label = labels.positive();
    std::unique_ptr<Solver> solver = run.entry.make(setup);
    solver->error_in_losses = error_in_losses(options);
    return solver;
  }
  Parts parts;
  BudgetOf budget = BudgetOf::each;
  if (options.shared_budget && run.entry.make_sharing != nullptr) {
    parts = run.entry.make_sharing(setup, run.classes());
  } else {
    if (options.shared_budget) {
      budget = BudgetOf::sum;
      setup.max_nonzeros = kUnlimited;
    }
    for (const double label : labels.class_labels()) {
      setup.class_label = label;
      parts.push_back(run.entry.make(setup));
    }
  }
  return options.multiclass == Multiclass::softmax
             ? softmax(std::move(parts), budget, setup.largest_margin())
             : one_vs_rest(std::move(parts), budget);
}

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

std::vector<RequiredFeature> required_features(const RunContext& run) {
  const Problem& problem = run.problem;
  std::vector<RequiredFeature> required;
  for (const std::uint64_t index : run.options.keep) {
    if (index == 0 && !problem.zero_based) throw UsageError("--keep 0: feature indices start at 1");
    const std::uint64_t id = index - (problem.zero_based ? 0 : 1);
    if (id >= run.setup.dimension) {
      throw Error(
          fmt::format("{}: no feature {}, which --keep names", problem.train->name(), index));
    }
    required.push_back({fmt::format("{}", index), problem.features->slot(id)});
  }
  for (const std::string& name : run.options.keep_names) {
    const auto slot = slot_named(run, name);
    if (!slot) {
      throw Error(
          fmt::format("{}: no feature {}, which --keep names", problem.train->name(), name));
    }
    required.push_back({name, *slot});
  }
  std::ranges::sort(required, {}, &RequiredFeature::slot);
  const auto same = [](const auto& a, const auto& b) { return a.slot == b.slot; };
  required.erase(std::unique(required.begin(), required.end(), same), required.end());
  return required;
}

void warn_of_missing_required(RunContext& run, const Solver& solver) {
  for (const RequiredFeature& required : required_features(run)) {
    const auto has_weight = [&](const Solver* leaf) {
      const auto& weights = leaf->state().weights;
      return required.slot < weights.size() && weights[required.slot] != 0;
    };
    if (std::ranges::any_of(leaves(solver), has_weight)) continue;
    run.warn(fmt::format("--keep {}: no row taught anything about it, so it has no weight",
                         required.name));
  }
}

}  // namespace thresh
