// Features brought to one scale: each divided by its largest magnitude, or by the root of its mean
// square, over all rows of the file, held-out ones included; or by what table_scales.hpp finds.
//
// A wrapper around a row source, so that nobody who learns knows of it. Only features of which
// table_scales() says so are centred, too, and then rows that do not have them get them: all others
// stay sparse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sparse/zeroed_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class FeatureScales {
 public:
  struct Centre {
    std::uint32_t slot;
    double value;  // that is subtracted
  };

  // By max or rms: looks at all rows of a source that has a survey. `told` is called after every
  // block.
  FeatureScales(FeatureScale kind, RowSource& source, const std::function<void()>& told = {});
  // As somebody else found them; centres by ascending slot.
  FeatureScales(FeatureScale kind, ZeroedArray<double> by_slot, std::vector<Centre> centres)
      : kind_(kind), by_slot_(std::move(by_slot)), centres_(std::move(centres)) {}

  FeatureScale kind() const { return kind_; }
  // What a feature is divided by: 1 for one that no row has.
  double at(std::uint32_t slot) const {
    return slot < by_slot_.size() && by_slot_[slot] > 0 ? by_slot_[slot] : 1;
  }
  const std::vector<Centre>& centres() const { return centres_; }
  // What weights of scaled features add up to where all centred ones are at their centres: so much
  // less is the intercept for features as they are.
  double at_centres(const ZeroedArray<double>& weights) const {
    double sum = 0;
    for (const auto& [slot, centre] : centres_) {
      if (slot >= weights.size()) break;
      sum += weights[slot] / at(slot) * centre;
    }
    return sum;
  }

 private:
  FeatureScale kind_;
  ZeroedArray<double> by_slot_;
  std::vector<Centre> centres_;
};

// The same rows with scaled features.
std::shared_ptr<RowSource> scaled_rows(std::shared_ptr<RowSource> source,
                                       std::shared_ptr<const FeatureScales> scales);

}  // namespace thresh
