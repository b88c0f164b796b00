#include "certify/classes.hpp"

#include <algorithm>

#include "certify/training_rows.hpp"
#include "thresh/fit.hpp"

namespace thresh {

Claimed against_rest(const Claimed& all, std::size_t number, std::uint64_t updates) {
  Claimed alone = all;
  alone.one_of = OneOf{all.model.class_labels(), number};
  Model& model = alone.model;
  const ClassPart& part = all.model.classes.at(number);
  model.classes.clear();
  model.certificate.reset();
  model.intercept = part.intercept;
  model.coefficients = part.coefficients;
  model.summary["updates"] = updates;
  // The status is that of the whole run, but a budget may have ended this class earlier.
  if (!model.options.at("features").is_null() || !model.options.at("density").is_null()) {
    model.summary["status"] = name_of(Outcome::budget_reached);
  }
  return alone;
}

std::uint64_t wrong_classes(const Claimed& claimed) {
  const std::vector<SlotWeights> parts = slot_weights(claimed.model, *claimed.features);
  const TrainingRows rows = training_rows(against_rest(claimed, 0, 0));
  std::uint64_t wrong = 0;
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      std::size_t best = 0;
      double largest = 0;
      for (std::size_t c = 0; c < parts.size(); ++c) {
        const double margin = parts[c].margin(row);
        if (c == 0 || margin > largest) {
          best = c;
          largest = margin;
        }
      }
      wrong += static_cast<double>(best) != row.label;
    }
  });
  return wrong;
}

std::uint64_t size_of_union(const std::vector<std::vector<std::uint64_t>>& compression_sets) {
  std::vector<std::uint64_t> all;
  for (const auto& compression_set : compression_sets)
    all.insert(all.end(), compression_set.begin(), compression_set.end());
  std::sort(all.begin(), all.end());
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

}  // namespace thresh
