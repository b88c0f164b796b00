// Streaming accumulators for the public metrics: one pass, memory independent of the rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/auc.hpp"
#include "sparse/compensated_sum.hpp"
#include "thresh/metrics.hpp"

namespace thresh {

// Updates a mean directly instead of dividing a sum, so it overflows only if a term does.
class WeightedMean {
 public:
  void add(double x, double weight);
  double weight() const { return weight_.value(); }
  double value() const;  // NaN without weight

 private:
  CompensatedSum weight_;
  CompensatedSum mean_;
};

// Weights must be finite and non-negative. A NaN margin, logit or prediction throws thresh::Error.
class ClassificationMeter {
 public:
  explicit ClassificationMeter(size_t auc_run = ExactAuc::kRunSize) : auc_(auc_run) {}

  // y is -1 or +1; a row is predicted positive iff margin > 0. `logit` is that of P(y = +1). The
  // log-loss uses it because probabilities rounded to 0 or 1 lose the loss. There is a log-loss
  // only if every row has a logit.
  void add(double margin, double y, double weight, std::optional<double> logit = std::nullopt);
  ClassificationMetrics finish();  // once, at the end

 private:
  uint64_t rows_ = 0;
  uint64_t rows_with_logit_ = 0;
  CompensatedSum tp_, fp_, tn_, fn_;
  WeightedMean log_loss_;
  ExactAuc auc_;
};

class MulticlassMeter {
 public:
  explicit MulticlassMeter(std::vector<double> labels);
  // Class numbers, and the log of the predicted probability of the true class, if known.
  void add(size_t predicted, size_t truth, double weight, std::optional<double> log_probability);
  MulticlassMetrics finish() const;

 private:
  std::vector<double> labels_;
  uint64_t rows_ = 0;
  uint64_t rows_with_probability_ = 0;
  std::vector<std::vector<CompensatedSum>> confusion_;
  WeightedMean log_loss_;
};

class RegressionMeter {
 public:
  void add(double prediction, double y, double weight);
  RegressionMetrics finish() const;

 private:
  uint64_t rows_ = 0;
  WeightedMean squared_error_;
  WeightedMean absolute_error_;
  WeightedMean y_;
  CompensatedSum y_scatter_;  // weighted squared distance from the mean of y, after Welford
};

}  // namespace thresh
