// Views of dense rows, and the rows that each lets through, by their numbers.
#pragma once

#include <rapidcheck.h>

#include "data/feed/feeder.hpp"
#include "tools/problems.hpp"

namespace thresh {

// All rows, the rows of two of three folds, or those of the third. Classes may have weights; a
// class of weight zero is not used.
inline RowView any_view() {
  using Keep = RowView::Keep;
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  view.class_weights = *rc::gen::element(std::vector<double>{}, std::vector<double>{0.3, 2},
                                         std::vector<double>{0, 1});
  view.folds = *rc::gen::element(0, 3);
  view.fold = 1;
  view.seed = *rc::gen::arbitrary<std::uint64_t>();
  view.keep = *rc::gen::element(Keep::all, Keep::training, Keep::held_out);
  return view;
}

inline DenseProblem wanted_rows(const DenseProblem& data, const RowView& view) {
  DenseProblem wanted;
  wanted.features = data.features;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const bool positive = data.y[i] > 0;
    const double weight = view.class_weights.empty() ? 1 : view.class_weights[positive ? 1 : 0];
    if (!view.wants(i) || weight == 0) continue;
    wanted.x.push_back(data.x[i]);
    wanted.y.push_back(data.y[i]);
    wanted.s.push_back(weight);
  }
  return wanted;
}

}  // namespace thresh
