// Predictions for single rows: by binary search in the weights of a Model, or by slot with a
// Scorer.

#include "thresh/scorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/row_scale.hpp"
#include "model/line_reader.hpp"
#include "model/pair_weights.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Sums over the features in both the row and the model. Both are in ascending order.
double dot_of(const std::vector<Coefficient>& coefficients, std::span<const std::uint64_t> indices,
              std::span<const double> values) {
  double sum = 0;
  auto at = coefficients.begin();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    at =
        std::lower_bound(at, coefficients.end(), indices[i],
                         [](const Coefficient& c, std::uint64_t index) { return c.index < index; });
    if (at == coefficients.end()) break;
    if (at->index == indices[i]) sum += at->weight * values[i];
  }
  return sum;
}

// The same with the pairs of a model.
double margin_of(const Model& model, const std::vector<Coefficient>& coefficients,
                 std::span<const std::uint64_t> indices, std::span<const double> values) {
  if (model.pairs.empty()) return dot_of(coefficients, indices, values);
  const auto value_of = [&](std::uint64_t index) {
    const auto found = std::lower_bound(indices.begin(), indices.end(), index);
    if (found == indices.end() || *found != index) return 0.0;
    return values[static_cast<std::size_t>(found - indices.begin())];
  };
  double sum = dot_of(single_features(model, coefficients), indices, values);
  for (const Coefficient& each : coefficients) {
    const FeaturePair* const pair = model.pair(each.index);
    if (pair != nullptr) sum += each.weight * (value_of(pair->first) * value_of(pair->second));
  }
  return sum;
}

// Throws UsageError unless the arguments are a valid row in the numbering of the model's data.
void check_row(const Model& model, std::span<const std::uint64_t> indices,
               std::span<const double> values) {
  if (indices.size() != values.size()) {
    throw UsageError(
        fmt::format("a row of {} indices has {} values", indices.size(), values.size()));
  }
  const std::uint64_t first = model.zero_based ? 0 : 1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < first) {
      throw UsageError("feature index 0, but the model counts features from 1");
    }
    if (indices[i] - first >= FeatureMap::kMaxIndex) {
      throw UsageError(fmt::format("feature index {} is above 2^40", indices[i]));
    }
    if (i > 0 && indices[i] == indices[i - 1]) {
      throw UsageError(fmt::format("feature index {} twice", indices[i]));
    }
    if (i > 0 && indices[i] < indices[i - 1]) {
      throw UsageError(fmt::format("feature index {} after {}: indices must ascend", indices[i],
                                   indices[i - 1]));
    }
    if (!std::isfinite(values[i])) {
      throw UsageError(fmt::format("value of feature {} is not finite", indices[i]));
    }
  }
}

// The values, scaled as for the training of the model.
std::vector<double> scaled_values(const Model& model, std::span<const double> values) {
  std::vector<double> scaled(values.begin(), values.end());
  if (model.normalize_l2) normalize_l2(scaled.data(), scaled.size());
  return scaled;
}

// The prediction for the margins of several classes, or for the only one.
Prediction prediction_of(const Model& model, std::vector<double> margins) {
  Prediction result;
  const auto largest = std::max_element(margins.begin(), margins.end());
  const auto chosen = static_cast<std::size_t>(largest - margins.begin());
  const bool many = !model.classes.empty();
  result.label = many ? model.prediction(margins) : model.prediction(*largest);
  result.text = model.label_text(result.label);
  result.margin = *largest;
  if (!many) {
    result.probability = model.probability(result.margin);
    return result;
  }
  if (auto shares = model.probabilities(margins)) {
    result.probability = shares->at(chosen);
    result.probabilities = std::move(*shares);
  }
  result.margins = std::move(margins);
  return result;
}

}  // namespace

double Model::margin(std::span<const std::uint64_t> indices, std::span<const double> values) const {
  if (!classes.empty()) throw UsageError("a model of several classes has a margin for each");
  check_row(*this, indices, values);
  return margin_of(*this, coefficients, indices, scaled_values(*this, values)) + intercept;
}

Prediction Model::predict(std::span<const std::uint64_t> indices,
                          std::span<const double> values) const {
  if (classes.empty()) return prediction_of(*this, {margin(indices, values)});
  check_row(*this, indices, values);
  const std::vector<double> scaled = scaled_values(*this, values);
  std::vector<double> margins;
  for (const ClassPart& part : classes) {
    margins.push_back(margin_of(*this, part.coefficients, indices, scaled) + part.intercept);
  }
  return prediction_of(*this, std::move(margins));
}

struct Scorer::Parts {
  Model model;
  Predictor predictor{model};
  LineReader lines{model, predictor.features()};

  Prediction score(const Row& row) const {
    std::vector<double> margins(std::max<std::size_t>(1, model.classes.size()));
    predictor.margins(row, margins);
    return prediction_of(model, std::move(margins));
  }
};

Scorer::Scorer(Model model) : parts_(new Parts{std::move(model)}) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

const Model& Scorer::model() const {
  return parts_->model;
}

Prediction Scorer::predict(std::span<const std::uint64_t> indices,
                           std::span<const double> values) const {
  check_row(parts_->model, indices, values);
  const std::vector<double> scaled = scaled_values(parts_->model, values);
  const std::uint64_t first = parts_->model.zero_based ? 0 : 1;
  std::vector<std::uint32_t> slots;
  slots.reserve(indices.size());
  // A feature unknown to the model gets a slot beyond all weights.
  for (const std::uint64_t index : indices) {
    slots.push_back(parts_->predictor.features()->slot(index - first));
  }
  return parts_->score({slots.data(), scaled.data(), slots.size(), 0, 1, 0});
}

Prediction Scorer::predict(std::string_view line) const {
  return parts_->score(parts_->lines.read(line)->row(0));
}

}  // namespace thresh
