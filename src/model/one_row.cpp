#include "model/one_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/row_scale.hpp"
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

}  // namespace

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

std::vector<double> scaled_values(const Model& model, std::span<const double> values) {
  std::vector<double> scaled(values.begin(), values.end());
  if (model.normalize_l2) normalize_l2(scaled.data(), scaled.size());
  return scaled;
}

Prediction prediction_of(const Model& model, double margin) {
  Prediction result;
  result.label = model.prediction(margin);
  result.text = model.label_text(result.label);
  result.margin = margin;
  result.probability = model.probability(margin);
  return result;
}

Prediction prediction_of(const Model& model, std::vector<double> margins) {
  Prediction result;
  const auto largest = std::max_element(margins.begin(), margins.end());
  const auto chosen = static_cast<std::size_t>(largest - margins.begin());
  result.label = model.prediction(margins);
  result.text = model.label_text(result.label);
  result.margin = *largest;
  if (auto shares = model.probabilities(margins)) {
    result.probability = shares->at(chosen);
    result.probabilities = std::move(*shares);
  }
  result.margins = std::move(margins);
  return result;
}

double Model::margin(std::span<const std::uint64_t> indices, std::span<const double> values) const {
  if (!classes.empty()) throw UsageError("a model of several classes has a margin for each");
  check_row(*this, indices, values);
  return dot_of(coefficients, indices, scaled_values(*this, values)) + intercept;
}

Prediction Model::predict(std::span<const std::uint64_t> indices,
                          std::span<const double> values) const {
  if (classes.empty()) return prediction_of(*this, margin(indices, values));
  check_row(*this, indices, values);
  const std::vector<double> scaled = scaled_values(*this, values);
  std::vector<double> margins;
  for (const ClassPart& part : classes) {
    margins.push_back(dot_of(part.coefficients, indices, scaled) + part.intercept);
  }
  return prediction_of(*this, std::move(margins));
}

}  // namespace thresh
