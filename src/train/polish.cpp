#include "train/polish.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/feed/feature_scales.hpp"
#include "train/make_solver.hpp"

namespace thresh {
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

}  // namespace thresh
