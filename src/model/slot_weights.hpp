// The weights of a model by slot, for rows of a RowSource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sparse/feature_map.hpp"
#include "sparse/zeroed_array.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Slots of a row may lie beyond the array: features that the model does not know.
struct SlotWeights {
  ZeroedArray<double> weights;
  double intercept = 0;

  SlotWeights(const std::vector<Coefficient>& coefficients, double b, bool zero_based,
              FeatureMap& features)
      : intercept(b) {
    for (const Coefficient& coefficient : coefficients) {
      const std::uint32_t slot = features.slot(coefficient.index - (zero_based ? 0 : 1));
      weights.ensure(std::size_t{slot} + 1);
      weights[slot] = coefficient.weight;
    }
  }
  double at(std::uint32_t slot) const { return slot < weights.size() ? weights[slot] : 0; }

  double margin(const Row& row) const {
    const std::size_t known = weights.size();
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      if (row.slots[i] < known) sum += weights[row.slots[i]] * row.values[i];
    }
    return sum + intercept;
  }
};

// The weights of the model, or of each class.
inline std::vector<SlotWeights> slot_weights(const Model& model, FeatureMap& features) {
  std::vector<SlotWeights> parts;
  if (model.classes.empty()) {
    parts.emplace_back(model.coefficients, model.intercept, model.zero_based, features);
  }
  for (const ClassPart& part : model.classes) {
    parts.emplace_back(part.coefficients, part.intercept, model.zero_based, features);
  }
  return parts;
}

}  // namespace thresh
