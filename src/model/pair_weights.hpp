// The weights of pairs of features, for rows that have only the features of the data.
//
// The cost of a row is that of two searches for each pair of the model, or less: pairs whose first
// feature the row lacks cost one search together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sparse/feature_map.hpp"
#include "thresh/model.hpp"

namespace thresh {

// The coefficients of features in the data.
inline std::vector<Coefficient> single_features(const Model& model,
                                                const std::vector<Coefficient>& coefficients) {
  std::vector<Coefficient> singles;
  for (const Coefficient& each : coefficients) {
    if (model.pair(each.index) == nullptr) singles.push_back(each);
  }
  return singles;
}

class PairWeights {
 public:
  PairWeights(const Model& model, const std::vector<Coefficient>& coefficients,
              FeatureMap& features) {
    const std::uint64_t first = model.zero_based ? 0 : 1;
    for (const Coefficient& each : coefficients) {
      const FeaturePair* const pair = model.pair(each.index);
      if (pair == nullptr) continue;
      const std::uint32_t a = features.slot(pair->first - first);
      const std::uint32_t b = features.slot(pair->second - first);
      terms_.push_back({a, b, &each});
      in_order_ &= std::max(a, b) < features.identity_end();
    }
    std::sort(terms_.begin(), terms_.end(), [](const Term& one, const Term& other) {
      return std::pair(one.first, one.second) < std::pair(other.first, other.second);
    });
  }

  // Calls visit(coefficient, product) for the pairs that the row has.
  template <class Visit>
  void for_each(const Row& row, const Visit& visit) const {
    for (std::size_t i = 0; i < terms_.size();) {
      const std::uint32_t slot = terms_[i].first;
      const double* const value = find(row, slot);
      for (; i < terms_.size() && terms_[i].first == slot; ++i) {
        if (value == nullptr) continue;
        if (const double* const other = find(row, terms_[i].second)) {
          visit(*terms_[i].coefficient, *value * *other);
        }
      }
    }
  }
  double margin(const Row& row) const {
    double sum = 0;
    for_each(row, [&](const Coefficient& each, double product) { sum += each.weight * product; });
    return sum;
  }

 private:
  struct Term {
    std::uint32_t first, second;
    const Coefficient* coefficient;
  };

  // Slots below the identity limit ascend in a row.
  const double* find(const Row& row, std::uint32_t slot) const {
    const std::uint32_t* const end = row.slots + row.size;
    const std::uint32_t* const found =
        in_order_ ? std::lower_bound(row.slots, end, slot) : std::find(row.slots, end, slot);
    return found != end && *found == slot ? row.values + (found - row.slots) : nullptr;
  }

  std::vector<Term> terms_;
  bool in_order_ = true;
};

}  // namespace thresh
