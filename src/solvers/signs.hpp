// Weights that may only have one sign: Duchi et al., eq. 12.
//
// Where features are similarities to labelled examples, such a feature may only speak for the class
// of its example and against all others. Without feature labels no weight may be negative.
#pragma once

#include <memory>
#include <vector>

#include "sparse/feature_map.hpp"

namespace thresh {

class Signs {
 public:
  Signs() = default;  // every weight may have any sign
  // `labels` by feature id, may be null; `label` is that of the class that the weights speak for.
  Signs(const FeatureMap& features, std::shared_ptr<const std::vector<double>> labels, double label)
      : features_(&features), labels_(std::move(labels)), label_(label) {}

  bool restrict() const { return features_ != nullptr; }
  // The sign that the weight of a slot may have, +1 or -1.
  double of(std::uint32_t slot) const {
    if (!labels_) return 1;
    const std::uint64_t id = features_->id(slot);
    return id < labels_->size() && (*labels_)[id] != label_ ? -1 : 1;
  }
  // The weight, or 0 if it has the wrong sign.
  double apply(std::uint32_t slot, double weight) const {
    return !restrict() || weight * of(slot) > 0 ? weight : 0;
  }

 private:
  const FeatureMap* features_ = nullptr;
  std::shared_ptr<const std::vector<double>> labels_;
  double label_ = 1;
};

}  // namespace thresh
