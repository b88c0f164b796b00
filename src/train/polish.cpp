#include "train/polish.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/feed/feature_scales.hpp"
#include "polish/contrast.hpp"
#include "polish/merged_rows.hpp"
#include "polish/strength.hpp"
#include "sparse/parallel.hpp"
#include "train/make_solver.hpp"

namespace thresh {
namespace {

constexpr std::size_t kLeastContrasted = 65;  // the ridge of fewer features hardly matters
constexpr int kMostLost = 2;
// Of many rows the optimum itself is uncertain by far more.
constexpr FitEnd kLargeEnd{.converged = 1e-7};

bool is_finite(const RidgeModel& model) {
  return std::isfinite(model.intercept) &&
         std::all_of(model.weights.begin(), model.weights.end(),
                     [](double weight) { return std::isfinite(weight); });
}

}  // namespace

Polish::Polish(const RunContext& run)
    : run_(run),
      unit_(run.setup.row_length > 0 ? 1 / run.setup.row_length : 1),
      target_(target_unit(run.options, run.setup.target_size)) {
  if (auto some = signs_of(run)) signs_ = Signs(std::move(some));
}

std::optional<double> set_number(const Options& options, const std::string& name) {
  const auto found = options.solver_options.find(name);
  if (options.solver != "budget" || found == options.solver_options.end()) return std::nullopt;
  return to_number(name, found->second);
}

bool has_flag(const Options& options, const std::string& name) {
  const auto found = options.solver_options.find(name);
  return options.solver == "budget" && found != options.solver_options.end() &&
         found->second == "true";
}

std::string Polish::obstacle(const RunContext& run) {
  const Options& options = run.options;
  if (loss_of(options) == Loss::hinge) return "the hinge loss has no curvature";
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

std::vector<double> Polish::signs_at(std::span<const std::uint32_t> slots) const {
  if (!signs_.restrict()) return {};
  std::vector<double> signs;
  for (const std::uint32_t slot : slots) signs.push_back(signs_.of(slot));
  return signs;
}

LossFunction Polish::fit_loss(std::span<const double> targets) const {
  const LossFunction loss = loss_function_of(run_.options);
  if (loss.kind() == Loss::huber) return LossFunction(Loss::huber, loss.highest() / target_);
  if (loss.kind() != Loss::quantile) return loss;
  double sum = 0, squares = 0;
  for (const double target : targets) sum += target;
  const double mean = sum / static_cast<double>(targets.size());
  for (const double target : targets) squares += (target - mean) * (target - mean);
  const double spread = std::sqrt(squares / static_cast<double>(targets.size()));
  return loss.softened(100 / (spread > 0 ? spread : 1));
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
                                             const RidgeOfFit& ridge) const {
  struct Part {
    SupportMatrix train, held_out;
    std::vector<double> targets, held_out_targets;
  };
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
    const LossFunction loss = fit_loss(part.targets);
    const bool by_residuals = run_.options.task == Task::regression && loss.kind() == Loss::squared;
    const std::size_t merged = merge_if_many_are_equal(part.train, part.targets);
    fits.push_back({RidgeProblem(part.train, part.targets, loss, intercept),
                    RidgeProblem(part.held_out, part.held_out_targets, loss, intercept),
                    by_residuals});
    fits.back().merged = merged;
    if (!ridge.masses.empty()) {
      const double mass = ridge.masses[c];
      fits.back().shares =
          contrast_shares(part.train, part.targets, mass / (ridge.masses.back() - mass));
    }
    fits.back().train.constrain(signs_at(model[c].slots));
    fits.back().train.end_with(run_.options.stop);
    found.push_back(to_gathered(rows, model[c]));
    to_beat += fits.back().score(found.back());
  }
  PolishedModel polished;
  polished.contrast = !ridge.masses.empty();
  if (ridge.given) {
    polished.ridge = *ridge.given;
  } else {
    const StrengthFit best = best_strength(fits, found, ridge.first);
    if (ridge.chosen != nullptr) *ridge.chosen = strength_of(best.ridge);
    if (ridge.must_win && !(best.held_out < to_beat)) return std::nullopt;
    polished.ridge = best.ridge;
  }
  // From zero, so that the model is the same however its ridge was chosen.
  for (std::size_t c = 0; c < parts.size(); ++c) {
    fits[c].train.start_afresh();
    const bool roughly = fits[c].train.is_large() || fits[c].has_many_rows();
    found[c] = fits[c].fit(polished.ridge, {}, roughly ? kLargeEnd : FitEnd{});
  }
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

template <class FitModel>
void Polish::for_each_model(const std::vector<ModelParts>& models, bool held_out, std::size_t most,
                            const FitModel& fit_model) const {
  // Leaves out the largest until the rows of the others fit into memory.
  for (std::size_t first = 0; first < models.size() && !stopped(); ++first) {
    const std::vector<ModelParts> rest(models.begin() + static_cast<std::ptrdiff_t>(first),
                                       models.end());
    const std::optional<Gathered> rows = gather(rest, held_out, most);
    if (!rows) continue;
    const auto fit_next = [&](std::size_t i, bool alone) {
      if (!stopped()) fit_model(first + i, *rows, alone);
    };
    // All cores on one large model after another, then each core on small ones.
    const std::size_t large = count_large(*rows, rest);
    for (std::size_t i = 0; i < large; ++i) fit_next(i, true);
    parallel_for(rest.size() - large, [&](std::size_t i) { fit_next(large + i, false); });
    break;
  }
}

std::vector<std::optional<PolishedModel>> Polish::fit(std::vector<ModelParts> models,
                                                      std::optional<double> ridge) const {
  const std::size_t most = most_entries(ridge.has_value());
  const std::vector<bool> replaced = search_small(models, most);
  std::vector<std::optional<PolishedModel>> found(models.size());
  int strength = kUsualStrength;  // of the last large model
  for_each_model(models, !ridge, most, [&](std::size_t i, const Gathered& rows, bool alone) {
    const bool is_constant = models[i].front().slots.empty();
    RidgeOfFit how{ridge, strength};
    if (alone) how.chosen = &strength;
    how.must_win = run_.options.folds == 0 && !run_.options.certify && !replaced[i] && !is_constant;
    found[i] = fit_one(rows, models[i], how);
  });
  return found;
}

bool Polish::may_contrast() const {
  const bool table = run_.problem.scales && run_.problem.scales->kind() == FeatureScale::automatic;
  return run_.options.task == Task::classification && !table && !run_.options.certify;
}

std::vector<double> Polish::masses() const {
  const std::size_t parts = std::max<std::size_t>(1, run_.classes());
  std::vector<double> found(parts + 1);
  for_each_window(run_.setup.train, stoppable(run_.setup.training), [&](const Window& window) {
    for (const Row& row : window.rows) {
      double mass = 0;
      for (std::size_t k = 0; k < row.size; ++k) mass += std::fabs(row.values[k]);
      mass *= row.weight;
      found.back() += mass;
      if (parts > 1) {
        found[static_cast<std::size_t>(row.label)] += mass;
      } else if (row.label > 0) {
        found[0] += mass;
      }
    }
  });
  return found;
}

std::vector<std::optional<PolishedModel>> Polish::contrast(
    const std::vector<ModelParts>& models, const std::vector<std::optional<PolishedModel>>& plain,
    std::optional<double> ridge) const {
  std::vector<std::optional<PolishedModel>> found(models.size());
  std::vector<ModelParts> larger;
  for (const ModelParts& model : models) {
    const bool is_small = std::all_of(model.begin(), model.end(), [](const SparseWeights& part) {
      return part.slots.size() < kLeastContrasted;
    });
    if (is_small && !ridge) break;
    larger.push_back(model);
  }
  if (larger.empty()) return found;
  const std::vector<double> of_classes = masses();
  // Models of folds must be comparable.
  const bool must_win = !ridge && run_.options.folds == 0;
  int lost = 0;  // large ones in succession: the others would hardly win
  for_each_model(larger, !ridge, most_entries(ridge.has_value()),
                 [&](std::size_t i, const Gathered& rows, bool alone) {
                   if (lost == kMostLost && alone) return;
                   RidgeOfFit how{ridge};
                   how.masses = of_classes;
                   how.must_win = must_win;
                   const bool has_start = i < plain.size() && plain[i];
                   if (has_start) how.first = strength_of(plain[i]->ridge);
                   found[i] = fit_one(rows, has_start ? plain[i]->parts : larger[i], how);
                   if (alone) lost = found[i] || !must_win ? 0 : lost + 1;
                 });
  return found;
}

}  // namespace thresh
