// Reconstructs the training rows of a model from the model and the data alone.
//
// The code of this folder checks what solvers claim, so it shares with them only the reading of
// data.
#pragma once

#include <optional>
#include <string>

#include "data/feed/feeder.hpp"
#include "model/slot_weights.hpp"

namespace thresh {

// One of several classes, separated from the rest.
struct OneOf {
  std::vector<double> labels;  // of all, ascending
  std::size_t number = 0;      // of this one
};

// A model, and its training rows, claimed or known.
struct Claimed {
  Model model;
  std::shared_ptr<RowSource> source;  // with a survey
  std::shared_ptr<FeatureMap> features;
  std::string weights_file;                    // "" if there is none
  std::optional<OneOf> one_of = std::nullopt;  // for the model of one class
};

struct TrainingRows {
  std::shared_ptr<RowSource> source;
  std::shared_ptr<FeatureMap> features;
  RowView view;                             // labels, weights and held-out rows
  std::optional<std::size_t> against_rest;  // of several classes: the number of the one that is +1

  // The target of a row: -1 or +1, or the value to predict.
  double target(const Row& row) const {
    if (!against_rest) return row.label;
    return row.label == static_cast<double>(*against_rest) ? 1 : -1;
  }
};

TrainingRows training_rows(const Claimed& claimed);

// Facts from one pass over all rows.
struct RowFacts {
  std::uint64_t rows = 0;
  long double weight = 0;        // of all rows
  std::string fingerprint;       // of their full contents
  std::uint64_t errors = 0;      // misclassified by the model
  double longest = 0;            // the largest |x|_2 of a row
  long double least_margin = 0;  // the smallest y a
};
RowFacts facts_of(const TrainingRows& rows, const SlotWeights& at);

// Whether block boundaries, and so the shuffled order, depend only on the number of rows.
bool order_is_free_of_content(RowSource& source);

}  // namespace thresh
