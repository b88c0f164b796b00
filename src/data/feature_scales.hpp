// Features brought to one scale: each divided by its largest magnitude, or by the root of its mean
// square, over all rows of the file, held-out ones included.
//
// A wrapper around a row source, so that nobody who learns knows of it. Nothing is subtracted:
// sparse rows stay sparse. Two numbers a feature, one pass over the rows beforehand.
#pragma once

#include <functional>
#include <memory>

#include "sparse/zeroed_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class FeatureScales {
 public:
  // Looks at all rows of a source that has a survey. `told` hears of the text behind every block.
  FeatureScales(FeatureScale kind, RowSource& source,
                const std::function<void(std::uint64_t bytes)>& told = {});

  FeatureScale kind() const { return kind_; }
  // What a feature is divided by: 1 for one that no row has.
  double at(std::uint32_t slot) const {
    return slot < by_slot_.size() && by_slot_[slot] > 0 ? by_slot_[slot] : 1;
  }

 private:
  FeatureScale kind_;
  ZeroedArray<double> by_slot_;
};

// The same rows with scaled features.
std::shared_ptr<RowSource> scaled_rows(std::shared_ptr<RowSource> source,
                                       std::shared_ptr<const FeatureScales> scales);

}  // namespace thresh
