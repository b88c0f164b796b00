// Sign constraints on weights: Duchi et al., eq. 12.
//
// If features are similarities to labelled examples, a feature may only count for the class of its
// example and against all others. Without feature labels, no weight may be negative. Or only some
// weights have a sign that is given.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sparse/feature_map.hpp"

namespace thresh {

class Signs {
 public:
  Signs() = default;  // no constraints
  // `labels` is indexed by feature id and may be null. `label` is the class of the weights.
  Signs(const FeatureMap& features, std::shared_ptr<const std::vector<double>> labels, double label)
      : features_(&features), labels_(std::move(labels)), label_(label) {}

  // Of some weights, +1 or -1 by slot.
  using BySlot = std::unordered_map<std::uint32_t, double>;
  explicit Signs(std::shared_ptr<const BySlot> some) : some_(std::move(some)) {}

  bool restrict() const { return features_ != nullptr || some_ != nullptr; }
  // The allowed sign of a slot's weight, +1 or -1; 0: any.
  double of(std::uint32_t slot) const {
    if (some_) {
      const auto found = some_->find(slot);
      return found == some_->end() ? 0 : found->second;
    }
    if (!labels_) return 1;
    const std::uint64_t id = features_->id(slot);
    return id < labels_->size() && (*labels_)[id] != label_ ? -1 : 1;
  }
  static bool allows(double sign, double weight) { return sign == 0 || weight * sign > 0; }
  // The weight, or 0 if it has the wrong sign.
  double apply(std::uint32_t slot, double weight) const {
    return !restrict() || allows(of(slot), weight) ? weight : 0;
  }

 private:
  std::shared_ptr<const BySlot> some_;
  const FeatureMap* features_ = nullptr;
  std::shared_ptr<const std::vector<double>> labels_;
  double label_ = 1;
};

}  // namespace thresh
