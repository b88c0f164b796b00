#include <algorithm>
#include <cmath>
#include <limits>

#include "data/feed/feeder.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/memory_rows.hpp"
#include "loss/loss.hpp"
#include "math/elementary.hpp"
#include "model/evaluate.hpp"
#include "model/metrics.hpp"
#include "model/names.hpp"
#include "model/pair_weights.hpp"
#include "model/slot_weights.hpp"
#include "sparse/feature_map.hpp"
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
  if (log_link) return std::min(portable::exp(margin), std::numeric_limits<double>::max());
  if (task == Task::regression) return margin;
  return is_positive(margin) ? positive_label : negative_label;
}

std::optional<double> Model::probability(double margin) const {
  if (!calibration) return std::nullopt;
  return calibration->probability(margin);
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

std::vector<double> Model::class_labels() const {
  std::vector<double> labels;
  for (const ClassPart& part : classes) labels.push_back(part.label);
  return labels;
}

ReadOptions read_options_for(const Model& model) {
  ReadOptions options;
  options.format = model.format;
  if (model.format != Format::libsvm) {
    options.vocabulary = vocabulary_of(model);
    options.vocabulary->freeze();
  }
  if (model.reading.has("numbers")) options.table.needed = columns_of(model);
  options.zero_based = model.zero_based;
  options.normalize_l2 = model.normalize_l2;
  return options;
}

struct Predictor::Layout {
  std::shared_ptr<FeatureMap> features = std::make_shared<FeatureMap>();
  std::vector<SlotWeights> parts;
  Model paired;  // owns the coefficients of pairs, if there are any
  std::vector<PairWeights> pairs;

  // Rows have the features of the data, so what is beyond them is unknown.
  void take_pairs(const Model& model) {
    paired = model;
    const auto add = [&](const std::vector<Coefficient>& coefficients, double intercept) {
      parts.emplace_back(single_features(paired, coefficients), intercept, paired.zero_based,
                         *features);
      pairs.emplace_back(paired, coefficients, *features);
    };
    if (paired.classes.empty()) add(paired.coefficients, paired.intercept);
    for (const ClassPart& part : paired.classes) add(part.coefficients, part.intercept);
  }
  double margin(std::size_t part, const Row& row) const {
    return parts[part].margin(row) + (pairs.empty() ? 0 : pairs[part].margin(row));
  }
};

Predictor::Predictor(const Model& model) : layout_(std::make_unique<Layout>()) {
  if (model.pairs.empty()) {
    layout_->parts = slot_weights(model, *layout_->features);
  } else {
    layout_->take_pairs(model);
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
  return layout_->margin(0, row);
}

void Predictor::margins(const Row& row, std::span<double> out) const {
  check_size(out, layout_->parts.size());
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = layout_->margin(c, row);
}

namespace {

// Calls add(meter, row) for every row. The number of bad rows goes to the metrics.
template <class Meter, class Add>
auto measure(Meter meter, const std::shared_ptr<RowSource>& rows, const RowView& view,
             const Add& add) {
  std::uint64_t bad_rows = 0;
  for_each_window(rows, view, [&](const Window& window) {
    for (const BlockPtr& block : window.blocks) bad_rows += block->bad_rows;
    for (const Row& row : window.rows) add(meter, row);
  });
  auto metrics = meter.finish();
  metrics.bad_rows = bad_rows;
  return metrics;
}

// The loss that the model was trained with; none for squared.
std::optional<LossFunction> special_loss(const Model& model) {
  if (!model.options.has("loss")) return std::nullopt;
  const std::optional<Loss> loss = loss_named(model.options.at("loss").text());
  if (!loss || !is_for_numbers(*loss)) return std::nullopt;
  const char* const parameter = loss == Loss::quantile ? "quantile" : "huber_delta";
  return LossFunction(*loss, model.options.value(parameter, 1.0).number());
}

RegressionMetrics evaluate_values(const Model& model, const MarginsOf& margins,
                                  const std::shared_ptr<RowSource>& rows, const RowView& view) {
  const RegressionMeter meter_of_loss(special_loss(model));
  return measure(meter_of_loss, rows, view, [&](RegressionMeter& meter, const Row& row) {
    double margin = 0;
    margins(row, {&margin, 1});
    meter.add(margin, model.prediction(margin), row.label, row.weight);
  });
}

ClassificationMetrics evaluate_two(const Model& model, const MarginsOf& margins,
                                   const std::shared_ptr<RowSource>& rows, const RowView& view) {
  const auto add = [&](ClassificationMeter& meter, const Row& row) {
    double margin = 0;
    margins(row, {&margin, 1});
    std::optional<double> logit;
    if (model.calibration) logit = model.calibration->logit(margin);
    meter.add(margin, row.label, row.weight, logit);
  };
  const double threshold = model.threshold ? model.threshold->margin : 0;
  return measure(ClassificationMeter(threshold), rows, view, add);
}

MulticlassMetrics evaluate_many(const Model& model, const MarginsOf& margins_of,
                                const std::shared_ptr<RowSource>& rows, const RowView& view) {
  std::vector<double> margins(model.classes.size());
  const auto add = [&](MulticlassMeter& meter, const Row& row) {
    margins_of(row, margins);
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
  return measure(MulticlassMeter(view.labels.class_labels()), rows, view, add);
}

}  // namespace

std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const Predictor& predictor, const std::shared_ptr<RowSource>& rows,
    const std::string& weights_file) {
  RowView view;
  if (!weights_file.empty()) view.weights = std::make_shared<RowWeights>(weights_file);
  view.labels = labels_of_model(model);
  const MarginsOf margins = [&](const Row& row, std::span<double> out) {
    predictor.margins(row, out);
  };
  return evaluate_by(model, margins, rows, view);
}

LabelMap labels_of_model(const Model& model) {
  if (model.log_link) return LabelMap::counts();
  if (model.task == Task::regression) return {};
  return model.classes.empty() ? LabelMap::of_classes(model.negative_label, model.positive_label)
                               : LabelMap::of_many(model.class_labels());
}

std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate_by(
    const Model& model, const MarginsOf& margins, const std::shared_ptr<RowSource>& rows,
    const RowView& view) {
  if (model.task == Task::regression) return evaluate_values(model, margins, rows, view);
  if (model.classes.empty()) return evaluate_two(model, margins, rows, view);
  return evaluate_many(model, margins, rows, view);
}

std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const MemoryRows& rows) {
  const Predictor predictor(model);
  const RowNumbering numbering{model.zero_based ? std::uint64_t{0} : 1, model.normalize_l2};
  return evaluate(model, predictor, memory_rows(rows, numbering, predictor.features()));
}

}  // namespace thresh
