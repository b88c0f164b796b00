// The results of evaluate() and `thresh eval`, weighted by row. Shares are fractions, not percent.
//
// An undefined value is std::nullopt: precision without predicted positives, AUC with one class,
// log-loss without probabilities, R2 of a constant target. The plain doubles are NaN if the total
// weight is zero, for example in an empty file; an error of 0 would look like a perfect model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace thresh {

// Where a figure would lie in 95 of 100 samples of as many rows. With weights, rows count as the
// number of equally weighted rows that would be as informative.
struct Interval {
  double low = 0, high = 0;
};

// The rows above a threshold: total weight of positives and of negatives.
struct CurvePoint {
  double margin;
  double positives, negatives;
};

// Rows with similar probabilities.
struct CalibrationBin {
  double probability;                // the mean of those given
  double positives;                  // the share of positives
  double weight;                     // of the rows
  std::optional<Interval> interval;  // of the share
};

// Two classes.
struct ClassificationMetrics {
  uint64_t rows = 0;
  uint64_t bad_rows = 0;  // skipped, see ReadOptions::skip_bad_rows
  double weight = 0;      // sum of the row weights
  double error = 0;
  double accuracy = 0;
  std::optional<double> log_loss;  // mean, in nats
  std::optional<double> auc;
  std::optional<double> f1;
  std::optional<double> precision;
  std::optional<double> recall;
  // How far probabilities are off: the mean of |mean probability - share of positives| over ten
  // bins of equal width, weighted by their rows. Chance adds to it: with few rows it is above 0
  // even if the probabilities are right, so its interval may reach down to 0.
  std::optional<double> calibration_error;
  // From no row above the threshold to all rows: ROC, precision against recall and gains are read
  // from these. At most 512 of the thresholds, evenly spread; empty unless there are both classes.
  std::vector<CurvePoint> curve;
  std::vector<CalibrationBin> calibration;  // of the bins above that have rows
  // The confusion matrix: total weight of true/false positives and negatives.
  double tp = 0, fp = 0, tn = 0, fn = 0;
  struct {
    std::optional<Interval> error, accuracy, log_loss, auc, f1, precision, recall,
        calibration_error;
  } intervals;
};

// More than two classes.
struct MulticlassMetrics {
  uint64_t rows = 0;
  uint64_t bad_rows = 0;
  double weight = 0;
  double error = 0;
  double accuracy = 0;
  std::optional<double> log_loss;
  struct Class {
    double label;
    std::optional<double> precision, recall, f1;
    std::optional<Interval> precision_interval, recall_interval, f1_interval;
  };
  std::vector<Class> classes;
  std::vector<std::vector<double>> confusion;  // total weight by [true class][predicted class]
  struct {
    std::optional<Interval> error, accuracy, log_loss;
  } intervals;
};

struct RegressionMetrics {
  uint64_t rows = 0;
  uint64_t bad_rows = 0;
  double weight = 0;
  double rmse = 0;
  double mae = 0;
  std::optional<double> r2;
  struct {
    std::optional<Interval> rmse, mae, r2;  // r2: as if the variance of the target were known
  } intervals;
};

}  // namespace thresh
