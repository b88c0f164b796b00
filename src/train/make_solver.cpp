#include "train/make_solver.hpp"

#include <fmt/format.h>

#include <cmath>

#include "loss/loss.hpp"
#include "solvers/multiclass/multiclass.hpp"
#include "train/required_features.hpp"

namespace thresh {

// A step along one row's gradient is safe below 2 / (curvature |x|^2): it must not overshoot the
// row's own optimum by more than it was away from it. The long rows of the first block stand for
// all; what they do not show, the guard catches.
double choose_eta(RunContext& run) {
  const Options& options = run.options;
  const double length = run.setup.long_rows;
  const double eta = options.eta.value_or(kDefaultEta);
  const bool plain = run.entry.info.plain_steps && !needs_all_rows(options);
  if (!plain || length == 0 || has_bounded_slope(*loss_of(options))) return eta;
  const double curvature = *LossFunction(*loss_of(options)).curvature();
  const double limit = 2 / (curvature * (length * length + (options.intercept ? 1 : 0)));
  if (eta < limit || !std::isnormal(limit / 2)) return eta;
  if (options.eta) {
    run.warn(
        fmt::format("--eta {:g} is too large for rows as long as {:.3g}: from {:.3g} on steps "
                    "overshoot (--normalize l2 makes all rows short)",
                    eta, length, limit));
    return eta;
  }
  run.warn(
      fmt::format("eta is {:.3g}: the default of {:g} is too large for rows as "
                  "long as {:.3g}",
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
  for (const RequiredFeature& required : required_features(run)) {
    setup.kept.push_back(required.slot);
  }
  setup.all_steps = run.all_steps;
  setup.largest_value = run.largest_value;
  setup.weighted_rows = run.weighted_rows;
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
    return run.entry.make(setup);
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

}  // namespace thresh
