// Scales features: divides each by its largest magnitude or its root mean square over all rows of
// the file, held-out ones included; or by its standard deviation; or by what table_scales() finds.
//
// A wrapper around a row source, so that learners need not know of it. Features may
// also be centred (standard, table_scales()); then rows without them get them. All other features
// stay sparse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sparse/weight_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class FeatureMap;

class FeatureScales {
 public:
  struct Centre {
    std::uint32_t slot;
    double value;  // subtracted from the feature
  };

  // Finds max, rms or standard in all rows of a source with a survey. Calls `told` after every
  // block. With standard, features that most rows have are centred, if their slots are below
  // `centred_end`.
  FeatureScales(FeatureScale kind, RowSource& source, const std::function<void()>& told = {},
                std::uint64_t centred_end = 0);
  // Uses given scales; centres by ascending slot.
  FeatureScales(FeatureScale kind, ZeroedArray<double> by_slot, std::vector<Centre> centres)
      : kind_(kind), by_slot_(std::move(by_slot)), centres_(std::move(centres)) {}

  FeatureScale kind() const { return kind_; }
  // The divisor of a feature; 1 if no row has it.
  double at(std::uint32_t slot) const {
    return slot < by_slot_.size() && by_slot_[slot] > 0 ? by_slot_[slot] : 1;
  }
  const std::vector<Centre>& centres() const { return centres_; }
  // The margin from weights of scaled features if all centred ones are at their centres. Without
  // scaling, the intercept is smaller by this.
  double at_centres(const WeightArray& weights) const {
    double sum = 0;
    for (const auto& [slot, centre] : centres_) {
      if (slot >= weights.size()) break;
      sum += weights[slot] / at(slot) * centre;
    }
    return sum;
  }

 private:
  void standardise(RowSource& source, const std::function<void()>& told, std::uint64_t centred_end);

  FeatureScale kind_;
  ZeroedArray<double> by_slot_;
  std::vector<Centre> centres_;
};

// The same rows with scaled features.
std::shared_ptr<RowSource> scaled_rows(std::shared_ptr<RowSource> source,
                                       std::shared_ptr<const FeatureScales> scales);

// Scales that bring the features of a table to one scale and near zero, see table_scales.cpp. Null
// if the rows are not a table. Only slots below `centred_end` may be centred.
std::shared_ptr<const FeatureScales> table_scales(RowSource& source, std::uint64_t centred_end);
// Whether it may find some: on ranks, by the features of all. An exchange if there are several.
bool looks_like_table(RowSource& source, const FeatureMap& features);

}  // namespace thresh
