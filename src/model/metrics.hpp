// Streaming accumulators for the public metrics: one pass, memory independent of the rows.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loss/loss.hpp"
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

// A mean and its standard error.
class MeanWithError {
 public:
  void add(double x, double weight);
  double weight() const { return mean_.weight(); }
  double value() const { return mean_.value(); }
  // None with fewer than two rows, or if it is not finite.
  std::optional<double> standard_error() const;

 private:
  WeightedMean mean_;
  CompensatedSum scatter_;
  CompensatedSum squared_weights_;
};

// Weights must be finite and non-negative. A NaN margin, logit or prediction throws thresh::Error.
class ClassificationMeter {
 public:
  explicit ClassificationMeter(double threshold = 0, size_t auc_run = ExactAuc::kRunSize)
      : threshold_(threshold), auc_(auc_run) {}

  // y is -1 or +1; a row is predicted positive iff margin > threshold. `logit` is that of P(y =
  // +1). The log-loss uses it because probabilities rounded to 0 or 1 lose the loss. There is a
  // log-loss only if every row has a logit.
  void add(double margin, double y, double weight, std::optional<double> logit = std::nullopt);
  ClassificationMetrics finish();  // once, at the end

 private:
  double threshold_;
  uint64_t rows_ = 0;
  uint64_t rows_with_logit_ = 0;
  // Rows with a similar probability.
  struct Bin {
    WeightedMean probability, positive;
  };

  void add_intervals(ClassificationMetrics& m) const;
  double calibration_error() const;
  void add_calibration(ClassificationMetrics& m) const;

  CompensatedSum tp_, fp_, tn_, fn_;
  CompensatedSum squared_weights_;
  MeanWithError log_loss_;
  std::array<Bin, 10> bins_;
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
  CompensatedSum squared_weights_;
  MeanWithError log_loss_;
};

class RegressionMeter {
 public:
  // `loss`: of the model; none: squared.
  explicit RegressionMeter(std::optional<LossFunction> loss = std::nullopt) : loss_(loss) {}

  void add(double prediction, double y, double weight) { add(prediction, prediction, y, weight); }
  // The margin is the prediction, or its logarithm for poisson.
  void add(double margin, double prediction, double y, double weight);
  RegressionMetrics finish() const;

 private:
  void add_losses(RegressionMetrics& m) const;

  std::optional<LossFunction> loss_;
  uint64_t rows_ = 0;
  MeanWithError losses_;
  double below_ = 0;  // weight of rows at or below their prediction
  CompensatedSum squared_weights_;
  MeanWithError squared_error_;
  MeanWithError absolute_error_;
  WeightedMean y_;
  CompensatedSum y_scatter_;  // weighted squared distance from the mean of y, after Welford
};

}  // namespace thresh
