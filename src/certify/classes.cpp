#include "certify/classes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "certify/training_rows.hpp"
#include "thresh/fit.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> labels_of(const Model& model) {
  std::vector<double> labels;
  for (const ClassPart& part : model.classes) labels.push_back(part.label);
  return labels;
}

}  // namespace

Model class_alone(const Model& model, std::size_t number, std::uint64_t updates) {
  const ClassPart& part = model.classes.at(number);
  Model alone = model;
  alone.classes.clear();
  alone.certificate.clear();
  alone.intercept = part.intercept;
  alone.coefficients = part.coefficients;
  Json summary = Json::parse(model.summary);
  summary["updates"] = updates;
  // The status is that of the whole run, but a budget may have ended this class earlier.
  const Json options = Json::parse(model.options);
  if (!options.at("features").is_null() || !options.at("density").is_null()) {
    summary["status"] = name_of(Outcome::budget_reached);
  }
  alone.summary = summary.dump();
  return alone;
}

Claimed claim_of(const Claimed& claimed, const Model& alone, std::size_t number) {
  return {alone, claimed.source, claimed.features, claimed.weights_file,
          OneOf{labels_of(claimed.model), number}};
}

std::uint64_t wrong_classes(const Claimed& claimed) {
  const Model& model = claimed.model;
  std::vector<SlotWeights> parts;
  for (const ClassPart& part : model.classes) {
    parts.emplace_back(part.coefficients, part.intercept, model.zero_based, *claimed.features);
  }
  const TrainingRows rows = training_rows(
      {model, claimed.source, claimed.features, claimed.weights_file, OneOf{labels_of(model), 0}},
      Json::parse(model.options));
  std::uint64_t wrong = 0;
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      std::size_t best = 0;
      double largest = 0;
      for (std::size_t c = 0; c < parts.size(); ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < row.size; ++i) sum += parts[c].at(row.slots[i]) * row.values[i];
        const double margin = sum + parts[c].intercept;
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
