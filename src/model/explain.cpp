#include "thresh/explain.hpp"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cmath>

#include "model/pair_weights.hpp"
#include "model/slot_weights.hpp"
#include "sparse/feature_map.hpp"

namespace thresh {
namespace {

using Coefficients = std::vector<Coefficient>;

// The coefficients of each class, or of the model.
std::vector<const Coefficients*> all_coefficients(const Model& model) {
  if (model.classes.empty()) return {&model.coefficients};
  std::vector<const Coefficients*> all;
  for (const ClassPart& part : model.classes) all.push_back(&part.coefficients);
  return all;
}

bool larger(double a, double b) {
  return std::fabs(a) > std::fabs(b);
}

}  // namespace

struct Explainer::Parts {
  const Model& model;
  std::shared_ptr<FeatureMap> features = std::make_shared<FeatureMap>();
  std::vector<SlotWeights> weights;
  std::vector<tsl::robin_map<std::uint32_t, const Coefficient*>> coefficients;  // by slot
  std::vector<PairWeights> pairs;                                               // of each part
  std::vector<const Coefficients*> all = all_coefficients(model);

  explicit Parts(const Model& m) : model(m) {
    std::size_t c = 0;
    for (const Coefficients* part : all) {
      const double intercept =
          model.classes.empty() ? model.intercept : model.classes[c++].intercept;
      weights.emplace_back(single_features(model, *part), intercept, model.zero_based, *features);
      pairs.emplace_back(model, *part, *features);
      auto& by_slot = coefficients.emplace_back();
      for (const Coefficient& each : *part) {
        if (model.pair(each.index) != nullptr) continue;
        by_slot.emplace(features->slot(each.index - (model.zero_based ? 0 : 1)), &each);
      }
    }
    features->freeze();
  }

  double margin(std::size_t part, const Row& row) const {
    return weights[part].margin(row) + pairs[part].margin(row);
  }
  // The weight of the same feature in another part.
  double weight(std::size_t part, const Coefficient& feature) const {
    const Coefficients& own = *all[part];
    const auto found = std::lower_bound(
        own.begin(), own.end(), feature.index,
        [](const Coefficient& each, std::uint64_t index) { return each.index < index; });
    return found != own.end() && found->index == feature.index ? found->weight : 0;
  }

  std::size_t predicted(const std::vector<double>& margins) const {
    const auto largest = std::max_element(margins.begin(), margins.end());
    return static_cast<std::size_t>(largest - margins.begin());
  }

  // Whether the label changes when the feature is taken out of every margin.
  bool decides(const std::vector<double>& margins, std::size_t part, const Coefficient& feature,
               double value) const {
    if (model.task == Task::regression) return false;
    std::vector<double> without(margins);
    for (std::size_t k = 0; k < without.size(); ++k) without[k] -= weight(k, feature) * value;
    if (model.classes.empty())
      return model.is_positive(without[0]) != model.is_positive(margins[0]);
    return predicted(without) != part;
  }
};

Explainer::Explainer(const Model& model) : parts_(std::make_unique<Parts>(model)) {}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

const std::shared_ptr<FeatureMap>& Explainer::features() const {
  return parts_->features;
}

Explanation Explainer::explain(const Row& row) const {
  std::vector<double> margins;
  for (std::size_t c = 0; c < parts_->weights.size(); ++c) {
    margins.push_back(parts_->margin(c, row));
  }
  Explanation result;
  result.part = parts_->predicted(margins);
  result.margin = margins[result.part];
  const auto& by_slot = parts_->coefficients[result.part];
  const auto add = [&](const Coefficient& feature, double value) {
    result.contributions.push_back({&feature, value, feature.weight * value,
                                    parts_->decides(margins, result.part, feature, value)});
  };
  for (std::size_t i = 0; i < row.size; ++i) {
    const auto found = by_slot.find(row.slots[i]);
    if (found != by_slot.end()) add(*found->second, row.values[i]);
  }
  parts_->pairs[result.part].for_each(row, add);
  std::stable_sort(result.contributions.begin(), result.contributions.end(),
                   [](const Contribution& a, const Contribution& b) {
                     return larger(a.amount, b.amount) ||
                            (!larger(b.amount, a.amount) && a.feature->index < b.feature->index);
                   });
  if (!parts_->model.classes.empty()) result.margins = std::move(margins);
  return result;
}

FeatureUses::FeatureUses(const Model& model) {
  for (const Coefficients* part : all_coefficients(model)) {
    first_.push_back(part->data());
    auto& uses = uses_.emplace_back();
    for (const Coefficient& c : *part) uses.push_back({&c, uses_.size() - 1});
  }
}

void FeatureUses::add(const Explanation& explanation) {
  ++rows_;
  bool strongest = true;  // contributions are sorted
  for (const Contribution& c : explanation.contributions) {
    FeatureUse& use =
        uses_[explanation.part][static_cast<std::size_t>(c.feature - first_[explanation.part])];
    strongest = strongest && !larger(explanation.contributions.front().amount, c.amount);
    ++use.rows;
    use.strongest += strongest ? 1 : 0;
    use.decisive += c.decisive ? 1 : 0;
    use.amount += c.amount;
    use.magnitude += std::fabs(c.amount);
  }
}

std::vector<FeatureUse> FeatureUses::sorted() const {
  std::vector<FeatureUse> all;
  for (const auto& part : uses_) {
    for (const FeatureUse& use : part) {
      if (use.rows > 0) all.push_back(use);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const FeatureUse& a, const FeatureUse& b) {
    return a.magnitude > b.magnitude;
  });
  return all;
}

}  // namespace thresh
