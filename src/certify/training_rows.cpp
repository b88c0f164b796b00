#include "certify/training_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/cutter.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

LabelMap labels_of(const Model& model) {
  if (model.task == Task::regression) return LabelMap::regression();
  return LabelMap::of_classes(model.negative_label, model.positive_label);
}

// Both classes get half of the weight.
std::vector<double> balanced(const Model& model, const Survey& survey) {
  double of_class[2] = {0, 0};
  for (const LabelCount& count : survey.labels) {
    of_class[count.label == model.positive_label ? 1 : 0] += static_cast<double>(count.rows);
  }
  const auto rows = static_cast<double>(survey.rows);
  return {rows / (2 * of_class[0]), rows / (2 * of_class[1])};
}

// Of rows as they are learned from. Slots of huge indices depend on who met them first; ids do not.
class Fingerprint {
 public:
  Fingerprint() { XXH3_64bits_reset(&state_); }
  void add(const Row& row, const FeatureMap& features) {
    add(row.id);
    add(row.label);
    add(row.weight);
    add(row.size);
    for (std::size_t i = 0; i < row.size; ++i) {
      add(features.id(row.slots[i]));
      add(row.values[i]);
    }
  }
  std::string text() const { return fmt::format("{:016x}", XXH3_64bits_digest(&state_)); }

 private:
  template <class T>
  void add(const T& value) {
    XXH3_64bits_update(&state_, &value, sizeof value);
  }
  XXH3_state_t state_;
};

}  // namespace

TrainingRows training_rows(const Model& model, const nlohmann::ordered_json& options,
                           std::shared_ptr<RowSource> source, std::shared_ptr<FeatureMap> features,
                           const std::string& weights_file) {
  const Survey& survey = *source->survey();
  TrainingRows rows{std::move(source), std::move(features), {}};
  rows.view.labels = labels_of(model);
  rows.view.holdout = options.at("holdout");
  rows.view.seed = options.at("seed");
  rows.view.keep = RowView::Keep::training;
  if (options.contains("class_weight")) rows.view.class_weights = balanced(model, survey);
  if (!weights_file.empty()) rows.view.weights = std::make_shared<const RowWeights>(weights_file);
  return rows;
}

SlotWeights::SlotWeights(const Model& model, FeatureMap& features) : intercept(model.intercept) {
  for (const Coefficient& coefficient : model.coefficients) {
    const std::uint32_t slot = features.slot(coefficient.index - (model.zero_based ? 0 : 1));
    weights.ensure(std::size_t{slot} + 1);
    weights[slot] = coefficient.weight;
  }
}

RowFacts look_at(const TrainingRows& rows, const SlotWeights& at) {
  RowFacts facts;
  facts.least_margin = std::numeric_limits<long double>::infinity();
  Fingerprint fingerprint;
  long double longest = 0;
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      fingerprint.add(row, *rows.features);
      double sum = 0;
      long double square = 0, exact = at.intercept;
      for (std::size_t i = 0; i < row.size; ++i) {
        const double weight = at.at(row.slots[i]);
        sum += weight * row.values[i];
        exact += static_cast<long double>(weight) * row.values[i];
        square += static_cast<long double>(row.values[i]) * row.values[i];
      }
      ++facts.rows;
      facts.errors += (sum + at.intercept > 0) != (row.label > 0);
      facts.least_margin = std::min(facts.least_margin, row.label * exact);
      longest = std::max(longest, square);
    }
  });
  facts.fingerprint = fingerprint.text();
  facts.longest = static_cast<double>(std::sqrt(longest));
  return facts;
}

bool order_is_free_of_content(RowSource& source) {
  const std::size_t blocks = source.survey()->blocks;
  bool full = true;  // every block but the last
  parallel_in_order(
      blocks, [&](std::size_t k) { return source.block(k); },
      [&](std::size_t k, const BlockPtr& block) {
        full &= k + 1 == blocks || block->rows() + block->bad_rows == kBlockRows;
      });
  return full;
}

}  // namespace thresh
