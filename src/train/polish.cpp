#include "train/polish.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/feed/feature_scales.hpp"
#include "polish/strength.hpp"
#include "sparse/parallel.hpp"
#include "train/make_solver.hpp"

namespace thresh {
namespace {

bool is_finite(const RidgeModel& model) {
  return std::isfinite(model.intercept) &&
         std::all_of(model.weights.begin(), model.weights.end(),
                     [](double weight) { return std::isfinite(weight); });
}

}  // namespace

Polish::Polish(const RunContext& run)
    : run_(run),
      unit_(run.setup.row_length > 0 ? 1 / run.setup.row_length : 1),
      target_(run.setup.target_size > 0 ? run.setup.target_size : 1) {}

std::optional<double> set_number(const Options& options, const std::string& name) {
  const auto found = options.solver_options.find(name);
  if (options.solver != "budget" || found == options.solver_options.end()) return std::nullopt;
  return to_number(name, found->second);
}

bool searches_errors(const Options& options) {
  const auto found = options.solver_options.find("fewest-errors");
  return options.solver == "budget" && found != options.solver_options.end() &&
         found->second == "true";
}

std::string Polish::obstacle(const RunContext& run) {
  const Options& options = run.options;
  if (!LossFunction(*loss_of(options)).curvature()) return "the hinge loss has no curvature";
  if (run.classes() > 0 && options.multiclass != Multiclass::one_vs_rest) {
    return "--multiclass softmax is not supported";
  }
  if (run.problem.train->survey() == nullptr) return "this input can be read only once";
  return "";
}

std::vector<double> Polish::targets_of(const SupportMatrix& rows, std::size_t part) const {
  std::vector<double> targets = rows.labels;
  for (double& target : targets) {
    target = run_.classes() == 0 ? target / target_ : target == static_cast<double>(part) ? 1 : -1;
  }
  return targets;
}

std::optional<Polish::Gathered> Polish::gather(const std::vector<ModelParts>& models, bool held_out,
                                               std::size_t most, Units units) const {
  std::vector<std::uint32_t> slots;
  for (const ModelParts& model : models) {
    for (const SparseWeights& part : model) {
      slots.insert(slots.end(), part.slots.begin(), part.slots.end());
    }
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  sort_by_feature(slots, run_.problem.features.get());
  const RunSetup& setup = run_.setup;
  auto train = gather_support(setup.train, stoppable(setup.training), slots, unit_, most);
  if (!train) return std::nullopt;
  std::optional<SupportMatrix> held(std::in_place);
  held->columns = slots.size();
  if (held_out && setup.validation) {
    held = gather_support(setup.validate, stoppable(*setup.validation), slots, unit_, most);
  }
  if (!held) return std::nullopt;
  std::vector<double> factors =
      units == Units::file ? factors_of_file(*train, slots) : balancing_factors(*train);
  if (units == Units::equal) {
    for (double& factor : factors) factor *= factor;
  }
  train->scale_columns(factors);
  held->scale_columns(factors);
  return Gathered{Support(std::move(slots)), std::move(*train), std::move(*held),
                  std::move(factors)};
}

RidgeModel Polish::to_gathered(const Gathered& rows, const SparseWeights& model) const {
  RidgeModel there;
  there.intercept = model.intercept / target_;
  for (std::size_t j = 0; j < model.slots.size(); ++j) {
    const double factor = unit_ * target_ * rows.factors[rows.columns.place(model.slots[j])];
    there.weights.push_back(model.weights[j] / factor);
  }
  return there;
}

SparseWeights Polish::from_gathered(const Gathered& rows, std::vector<std::uint32_t> slots,
                                    const RidgeModel& model) const {
  SparseWeights here{std::move(slots), {}, model.intercept * target_};
  for (std::size_t j = 0; j < here.slots.size(); ++j) {
    const double factor = unit_ * target_ * rows.factors[rows.columns.place(here.slots[j])];
    here.weights.push_back(model.weights[j] * factor);
  }
  return here;
}

std::optional<PolishedModel> Polish::fit_one(const Gathered& rows, const ModelParts& model,
                                             std::optional<double> ridge, bool must_win) const {
  struct Part {
    SupportMatrix train, held_out;
    std::vector<double> targets, held_out_targets;
  };
  const LossFunction loss(*loss_of(run_.options));
  const bool intercept = run_.options.intercept;
  std::vector<Part> parts(model.size());
  std::vector<HeldOutFit> fits;
  std::vector<RidgeModel> found;
  double to_beat = 0;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    Part& part = parts[c];
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t slot : model[c].slots) columns.push_back(rows.columns.place(slot));
    part.train = rows.train.only(columns);
    part.held_out = rows.held_out.only(columns);
    part.targets = targets_of(part.train, c);
    part.held_out_targets = targets_of(part.held_out, c);
    fits.push_back({RidgeProblem(part.train, part.targets, loss, intercept),
                    RidgeProblem(part.held_out, part.held_out_targets, loss, intercept),
                    run_.options.task == Task::regression});
    fits.back().train.end_with(run_.options.stop);
    found.push_back(to_gathered(rows, model[c]));
    to_beat += fits.back().score(found.back());
  }
  PolishedModel polished;
  polished.ridge = ridge.value_or(0);
  if (!ridge) {
    const StrengthFit best = best_strength(fits, found);
    if (must_win && !(best.held_out < to_beat)) return std::nullopt;
    polished.ridge = best.ridge;
  }
  // From zero, so that the model is the same however its ridge was chosen.
  for (std::size_t c = 0; c < parts.size(); ++c) found[c] = fits[c].train.fit(polished.ridge, {});
  if (!std::all_of(found.begin(), found.end(), is_finite)) return std::nullopt;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    polished.parts.push_back(from_gathered(rows, model[c].slots, found[c]));
  }
  return polished;
}

std::size_t Polish::count_large(const Gathered& rows, const std::vector<ModelParts>& models) {
  std::vector<std::size_t> times(rows.train.columns);
  for (const std::uint32_t column : rows.train.at) ++times[column];
  const auto is_large = [&](const SparseWeights& part) {
    std::size_t entries = 0;
    for (const std::uint32_t slot : part.slots) entries += times[rows.columns.place(slot)];
    return RowSums::parts_of(entries, part.slots.size()) > 1;
  };
  const auto small = std::find_if(models.begin(), models.end(), [&](const ModelParts& model) {
    return std::none_of(model.begin(), model.end(), is_large);
  });
  return static_cast<std::size_t>(small - models.begin());
}

std::vector<std::optional<PolishedModel>> Polish::fit(std::vector<ModelParts> models,
                                                      std::optional<double> ridge) const {
  const std::size_t most = most_entries(ridge.has_value());
  const std::vector<bool> replaced = search_small(models, most);
  std::vector<std::optional<PolishedModel>> found(models.size());
  // Leaves out the largest until the rows of the others fit into memory.
  for (std::size_t first = 0; first < models.size() && !stopped(); ++first) {
    const std::vector<ModelParts> rest(models.begin() + static_cast<std::ptrdiff_t>(first),
                                       models.end());
    const std::optional<Gathered> rows = gather(rest, !ridge, most);
    if (!rows) continue;
    const auto fit_model = [&](std::size_t i) {
      const bool is_constant = rest[i].front().slots.empty();
      const bool must_win =
          run_.options.folds == 0 && !run_.options.certify && !replaced[first + i] && !is_constant;
      if (!stopped()) found[first + i] = fit_one(*rows, rest[i], ridge, must_win);
    };
    // All cores on one large model after another, then each core on small ones.
    const std::size_t large = count_large(*rows, rest);
    for (std::size_t i = 0; i < large; ++i) fit_model(i);
    parallel_for(rest.size() - large, [&](std::size_t i) { fit_model(large + i); });
    break;
  }
  return found;
}

}  // namespace thresh
