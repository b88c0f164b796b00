// The margin above which a model of two classes predicts the positive one.
//
//     model.threshold = thresh::choose_threshold(model, predictor, rows, "cost=10:1").threshold;
//     model.save("careful.thresh");
#pragma once

#include <memory>
#include <string>

#include "thresh/metrics.hpp"
#include "thresh/model.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct RowScores;

struct ThresholdChoice {
  Threshold threshold;
  ClassificationMetrics before, after;  // of the same rows, with the model's own threshold and this
};

// Chooses a threshold on rows that the model has not seen. `by` is f1: the largest F1; cost=M:F:
// the least cost, where a missed positive costs M and a false one F; or recall=R: the fewest
// positives that include the share R of the true ones. Of more than 2^20 rows a sample is used.
// Throws UsageError for another `by`, Error if a class has no rows or the model has not two
// classes.
ThresholdChoice choose_threshold(const Model& model, const Predictor& predictor,
                                 const std::shared_ptr<RowSource>& rows, const std::string& by,
                                 const std::string& weights_file = "");

// The same on the rows that a run held out; Options::threshold_by does this. Throws Error if they
// have no margins or lack a class.
Threshold choose_threshold(const RowScores& held_out, const std::string& by);

// Throws UsageError if choose_threshold() does not know this rule.
void check_threshold_rule(const std::string& by);

// The margin at which the model gives the positive class this probability, between 0 and 1. Throws
// Error if the model gives no probabilities that grow with the margin.
double margin_at(const Model& model, double probability);

}  // namespace thresh
