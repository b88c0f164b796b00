#include <algorithm>
#include <cmath>

#include "data/feed/feeder.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/memory_rows.hpp"
#include "loss/loss.hpp"
#include "math/elementary.hpp"
#include "model/metrics.hpp"
#include "model/platt.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/zeroed_array.hpp"
#include "thresh/error.hpp"
#include "thresh/model.hpp"
#include "thresh/names.hpp"

namespace thresh {

namespace {

void check_size(std::span<const double> margins, std::size_t classes) {
  if (margins.size() != classes || classes == 0) {
    throw UsageError("there must be a margin for each of several classes");
  }
}

}  // namespace

std::string Model::label_text(double label) const {
  return thresh::label_text(task == Task::classification ? label_names : std::vector<std::string>{},
                            label);
}

double Model::prediction(double margin) const {
  if (task == Task::regression) return margin;
  return margin > 0 ? positive_label : negative_label;
}

std::optional<double> Model::probability(double margin) const {
  if (!calibration) return std::nullopt;
  return Platt{calibration->slope, calibration->offset}.probability(margin);
}

double Model::prediction(std::span<const double> margins) const {
  check_size(margins, classes.size());
  const auto largest = std::max_element(margins.begin(), margins.end());
  return classes[static_cast<std::size_t>(largest - margins.begin())].label;
}

std::optional<std::vector<double>> Model::probabilities(std::span<const double> margins) const {
  if (class_link == ClassLink::none) return std::nullopt;
  check_size(margins, classes.size());
  std::vector<double> shares(margins.begin(), margins.end());
  if (class_link == ClassLink::logistic) {
    for (double& share : shares) share = -LossFunction(Loss::logistic).value(share, 1);  // ln p
  }
  // exp(ln p) over the sum, relative to the largest so that at least one is above 0.
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0;
  for (double& share : shares) sum += share = portable::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

std::uint64_t Model::nonzeros() const {
  std::uint64_t sum = coefficients.size();
  for (const ClassPart& part : classes) sum += part.coefficients.size();
  return sum;
}

ReadOptions read_options_for(const Model& model) {
  ReadOptions options;
  options.format = model.format;
  if (model.format != Format::libsvm) {
    options.vocabulary = vocabulary_of(model);
    options.vocabulary->freeze();
  }
  options.zero_based = model.zero_based;
  options.normalize_l2 = model.normalize_l2;
  return options;
}

struct Predictor::Layout {
  struct Part {
    ZeroedArray<double> weights;
    double intercept = 0;

    // Unlike in training, slots may lie beyond the array: features the model has never seen.
    double margin(const Row& row) const {
      const std::size_t known = weights.size();
      double sum = 0;
      for (std::size_t i = 0; i < row.size; ++i) {
        if (row.slots[i] < known) sum += weights[row.slots[i]] * row.values[i];
      }
      return sum + intercept;
    }
  };
  std::shared_ptr<FeatureMap> features = std::make_shared<FeatureMap>();
  std::vector<Part> parts;

  void add(const std::vector<Coefficient>& coefficients, double intercept, bool zero_based) {
    Part& part = parts.emplace_back();
    part.intercept = intercept;
    for (const Coefficient& coefficient : coefficients) {
      const std::uint32_t slot = features->slot(coefficient.index - (zero_based ? 0 : 1));
      part.weights.ensure(std::size_t{slot} + 1);
      part.weights[slot] = coefficient.weight;
    }
  }
};

Predictor::Predictor(const Model& model) : layout_(std::make_unique<Layout>()) {
  if (model.classes.empty()) layout_->add(model.coefficients, model.intercept, model.zero_based);
  for (const ClassPart& part : model.classes) {
    layout_->add(part.coefficients, part.intercept, model.zero_based);
  }
  layout_->features->freeze();
}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const std::shared_ptr<FeatureMap>& Predictor::features() const {
  return layout_->features;
}

double Predictor::margin(const Row& row) const {
  if (layout_->parts.size() > 1) {
    throw UsageError("a model of several classes has a margin for each");
  }
  return layout_->parts.front().margin(row);
}

void Predictor::margins(const Row& row, std::span<double> out) const {
  check_size(out, layout_->parts.size());
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = layout_->parts[c].margin(row);
}

namespace {

// Passes every row to `add` and the number of bad rows to the metrics.
template <class Add, class Finish>
auto measure(const std::shared_ptr<RowSource>& rows, const RowView& view, const Add& add,
             const Finish& finish) {
  std::uint64_t bad_rows = 0;
  for_each_window(rows, view, [&](const Window& window) {
    for (const BlockPtr& block : window.blocks) bad_rows += block->bad_rows;
    for (const Row& row : window.rows) add(row);
  });
  auto metrics = finish();
  metrics.bad_rows = bad_rows;
  return metrics;
}

RegressionMetrics evaluate_values(const Predictor& predictor,
                                  const std::shared_ptr<RowSource>& rows, const RowView& view) {
  RegressionMeter meter;
  const auto add = [&](const Row& row) { meter.add(predictor.margin(row), row.label, row.weight); };
  return measure(rows, view, add, [&] { return meter.finish(); });
}

ClassificationMetrics evaluate_two(const Model& model, const Predictor& predictor,
                                   const std::shared_ptr<RowSource>& rows, const RowView& view) {
  ClassificationMeter meter;
  const auto add = [&](const Row& row) {
    const double margin = predictor.margin(row);
    std::optional<double> logit;
    if (model.calibration) {
      logit = Platt{model.calibration->slope, model.calibration->offset}.logit(margin);
    }
    meter.add(margin, row.label, row.weight, logit);
  };
  return measure(rows, view, add, [&] { return meter.finish(); });
}

MulticlassMetrics evaluate_many(const Model& model, const Predictor& predictor,
                                const std::shared_ptr<RowSource>& rows, const RowView& view) {
  MulticlassMeter meter(view.labels.class_labels());
  std::vector<double> margins(model.classes.size());
  const auto add = [&](const Row& row) {
    predictor.margins(row, margins);
    const auto largest = std::max_element(margins.begin(), margins.end());
    const auto truth = static_cast<std::size_t>(row.label);
    std::optional<double> log_probability;
    if (const auto shares = model.probabilities(margins)) {
      // If a probability underflows, use the loss of the smallest double.
      log_probability = portable::log(std::max((*shares)[truth], 1e-308));
    }
    meter.add(static_cast<std::size_t>(largest - margins.begin()), truth, row.weight,
              log_probability);
  };
  return measure(rows, view, add, [&] { return meter.finish(); });
}

}  // namespace

std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const Predictor& predictor, const std::shared_ptr<RowSource>& rows,
    const std::string& weights_file) {
  RowView view;
  if (!weights_file.empty()) view.weights = std::make_shared<RowWeights>(weights_file);
  if (model.task == Task::regression) return evaluate_values(predictor, rows, view);
  if (model.classes.empty()) {
    view.labels = LabelMap::of_classes(model.negative_label, model.positive_label);
    return evaluate_two(model, predictor, rows, view);
  }
  std::vector<double> labels;
  for (const ClassPart& part : model.classes) labels.push_back(part.label);
  view.labels = LabelMap::of_many(std::move(labels));
  return evaluate_many(model, predictor, rows, view);
}

std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const MemoryRows& rows) {
  const Predictor predictor(model);
  const RowNumbering numbering{model.zero_based ? std::uint64_t{0} : 1, model.normalize_l2};
  return evaluate(model, predictor, memory_rows(rows, numbering, predictor.features()));
}

}  // namespace thresh
