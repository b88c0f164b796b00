#include "certify/training_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/feed/class_weights.hpp"
#include "data/read/cutter.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

LabelMap labels_of(const Claimed& claimed) {
  const Model& model = claimed.model;
  if (claimed.one_of) return LabelMap::of_many(claimed.one_of->labels);
  if (model.log_link) return LabelMap::counts();
  if (model.task == Task::regression) return LabelMap::regression();
  return LabelMap::of_classes(model.negative_label, model.positive_label);
}

// Gives all classes the same total weight.
std::vector<double> balanced(const LabelMap& labels, const Survey& survey) {
  const std::size_t classes = labels.class_labels().empty() ? 2 : labels.class_labels().size();
  std::vector<double> weights(classes);
  LabelMap map = labels;
  for (const LabelCount& count : survey.labels) {
    const double target = map.target(count.label);
    const double number = labels.class_labels().empty() ? (target > 0 ? 1 : 0) : target;
    weights[static_cast<std::size_t>(number)] +=
        static_cast<double>(classes) * static_cast<double>(count.rows);
  }
  for (double& weight : weights) weight = static_cast<double>(survey.rows) / weight;
  return weights;
}

// A hash of the rows as learned. Uses ids, because slots of huge indices depend on thread order.
class Fingerprint {
 public:
  Fingerprint() { XXH3_64bits_reset(&state_); }
  void add(const Row& row, double target, const FeatureMap& features) {
    add(row.id);
    add(target);
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

TrainingRows training_rows(const Claimed& claimed) {
  const Record& options = claimed.model.options;
  const std::string& weights_file = claimed.weights_file;
  const Survey& survey = *claimed.source->survey();
  TrainingRows rows{claimed.source, claimed.features, {}, std::nullopt};
  if (claimed.one_of) rows.against_rest = claimed.one_of->number;
  rows.view.labels = labels_of(claimed);
  rows.view.holdout = options.at("holdout").number();
  rows.view.seed = options.at("seed").count();
  rows.view.keep = RowView::Keep::training;
  if (options.has("class_weight")) {
    const std::string& weights = options.at("class_weight").text();
    rows.view.class_weights = weights == "balanced" ? balanced(rows.view.labels, survey)
                                                    : weights_by_class(parse_class_weights(weights),
                                                                       rows.view.labels, survey);
  }
  if (!weights_file.empty()) rows.view.weights = std::make_shared<const RowWeights>(weights_file);
  return rows;
}

RowFacts facts_of(const TrainingRows& rows, const SlotWeights& at) {
  RowFacts facts;
  facts.least_margin = std::numeric_limits<long double>::infinity();
  Fingerprint fingerprint;
  long double longest = 0;
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      const double target = rows.target(row);
      fingerprint.add(row, target, *rows.features);
      long double square = 0, exact = at.intercept;
      for (std::size_t i = 0; i < row.size; ++i) {
        exact += static_cast<long double>(at.at(row.slots[i])) * row.values[i];
        square += static_cast<long double>(row.values[i]) * row.values[i];
      }
      ++facts.rows;
      facts.weight += row.weight;
      facts.errors += (at.margin(row) > 0) != (target > 0);
      facts.least_margin = std::min(facts.least_margin, target * exact);
      longest = std::max(longest, square);
    }
  });
  facts.fingerprint = fingerprint.text();
  facts.longest = static_cast<double>(std::sqrt(longest));
  return facts;
}

bool order_is_free_of_content(RowSource& source) {
  const std::size_t blocks = source.survey()->blocks;
  bool full = true;  // whether all blocks but the last are full
  parallel_in_order(
      blocks, [&](std::size_t k) { return source.block(k); },
      [&](std::size_t k, const BlockPtr& block) {
        full &= k + 1 == blocks || block->rows() + block->bad_rows == kBlockRows;
      });
  return full;
}

}  // namespace thresh
