#include <algorithm>
#include <cmath>

#include "data/feature_map.hpp"
#include "data/feeder.hpp"
#include "model/metrics.hpp"
#include "model/platt.hpp"
#include "sparse/kernels.hpp"
#include "sparse/zeroed_array.hpp"
#include "thresh/error.hpp"
#include "thresh/model.hpp"

namespace thresh {

double Model::margin(std::span<const std::uint64_t> indices, std::span<const double> values) const {
  double sum = 0;
  auto at = coefficients.begin();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    at =
        std::lower_bound(at, coefficients.end(), indices[i],
                         [](const Coefficient& c, std::uint64_t index) { return c.index < index; });
    if (at == coefficients.end()) break;
    if (at->index == indices[i]) sum += at->weight * values[i];
  }
  return sum + intercept;
}

double Model::prediction(double margin) const {
  if (task == Task::regression) return margin;
  return margin > 0 ? positive_label : negative_label;
}

std::optional<double> Model::probability(double margin) const {
  if (!calibration) return std::nullopt;
  return Platt{calibration->slope, calibration->offset}.probability(margin);
}

ReadOptions read_options_for(const Model& model) {
  ReadOptions options;
  options.zero_based = model.zero_based;
  options.normalize_l2 = model.normalize_l2;
  return options;
}

struct Predictor::Layout {
  std::shared_ptr<FeatureMap> features = std::make_shared<FeatureMap>();
  ZeroedArray<double> weights;
  double intercept = 0;
};

Predictor::Predictor(const Model& model) : layout_(std::make_unique<Layout>()) {
  layout_->intercept = model.intercept;
  for (const Coefficient& coefficient : model.coefficients) {
    const std::uint64_t id = coefficient.index - (model.zero_based ? 0 : 1);
    const std::uint32_t slot = layout_->features->slot(id);
    layout_->weights.ensure(std::size_t{slot} + 1);
    layout_->weights[slot] = coefficient.weight;
  }
  layout_->features->freeze();
}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const std::shared_ptr<FeatureMap>& Predictor::features() const {
  return layout_->features;
}

// Unlike training, prediction meets slots beyond its array: features the model never saw.
double Predictor::margin(const Row& row) const {
  const std::size_t known = layout_->weights.size();
  double sum = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    if (row.slots[i] < known) sum += layout_->weights[row.slots[i]] * row.values[i];
  }
  return sum + layout_->intercept;
}

std::variant<ClassificationMetrics, RegressionMetrics> evaluate(
    const Model& model, const Predictor& predictor, const std::shared_ptr<RowSource>& rows,
    const std::string& weights_file) {
  RowView view;
  if (model.task == Task::classification) {
    view.labels = LabelMap::of_classes(model.negative_label, model.positive_label);
  }
  if (!weights_file.empty()) view.weights = std::make_shared<RowWeights>(weights_file);
  ClassificationMeter classes;
  RegressionMeter values;
  std::uint64_t bad_rows = 0;
  for_each_window(rows, view, [&](const Window& window) {
    for (const BlockPtr& block : window.blocks) bad_rows += block->bad_rows;
    for (const Row& row : window.rows) {
      const double margin = predictor.margin(row);
      if (model.task == Task::regression) {
        values.add(margin, row.label, row.weight);
      } else if (model.calibration) {
        const Platt platt{model.calibration->slope, model.calibration->offset};
        classes.add(margin, row.label, row.weight, platt.logit(margin));
      } else {
        classes.add(margin, row.label, row.weight);
      }
    }
  });
  const auto finish = [&](auto metrics) {
    metrics.bad_rows = bad_rows;
    return metrics;
  };
  if (model.task == Task::regression) return finish(values.finish());
  return finish(classes.finish());
}

}  // namespace thresh
