#include "model/metrics.hpp"

#include <string>

#include "math/elementary.hpp"
#include "model/intervals.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

std::optional<double> ratio(double part, double whole) {
  if (!(whole > 0)) return std::nullopt;
  return part / whole;
}

void require_number(double x, const char* name) {
  if (std::isnan(x)) throw Error(std::string(name) + " is not a number");
}

// log(1 + exp(-x)) without overflow or cancellation.
double logistic_loss(double x) {
  return portable::log1p(portable::exp(-std::abs(x))) + (x < 0 ? -x : 0.0);
}

}  // namespace

void WeightedMean::add(double x, double weight) {
  if (weight == 0) return;
  weight_.add(weight);
  const double mean = mean_.value();
  // Infinity is a valid result. Without this, inf - inf would make it NaN at the next row.
  if (!std::isfinite(mean)) return;
  mean_.add((x - mean) * (weight / weight_.value()));
}

double WeightedMean::value() const {
  return weight() > 0 ? mean_.value() : std::nan("");
}

void MeanWithError::add(double x, double weight) {
  if (weight == 0) return;
  const double before = mean_.weight() > 0 ? mean_.value() : x;
  mean_.add(x, weight);
  scatter_.add(weight * (x - before) * (x - mean_.value()));
  squared_weights_.add(weight * weight);
}

std::optional<double> MeanWithError::standard_error() const {
  const double rows = effective_rows(weight(), squared_weights_.value());
  const double variance = scatter_.value() / weight() / rows;
  if (!(rows > 1) || !std::isfinite(variance) || !(variance >= 0)) return std::nullopt;
  return std::sqrt(variance);
}

void ClassificationMeter::add(double margin, double y, double weight, std::optional<double> logit) {
  auc_.add(margin, y > 0, weight);
  ++rows_;
  const bool predicted = margin > threshold_;
  const bool correct = predicted == (y > 0);
  (predicted ? (correct ? tp_ : fp_) : (correct ? tn_ : fn_)).add(weight);
  squared_weights_.add(weight * weight);
  if (!logit) return;
  require_number(*logit, "logit");
  ++rows_with_logit_;
  log_loss_.add(logistic_loss(y * *logit), weight);
  const double probability = 1 / (1 + portable::exp(-*logit));
  const auto bins = static_cast<double>(bins_.size());
  Bin& bin = bins_[static_cast<std::size_t>(std::fmin(probability * bins, bins - 1))];
  bin.probability.add(probability, weight);
  bin.positive.add(y > 0 ? 1 : 0, weight);
}

double ClassificationMeter::calibration_error() const {
  CompensatedSum off;
  for (const Bin& bin : bins_) {
    const double weight = bin.positive.weight();
    if (weight > 0) off.add(weight * std::fabs(bin.probability.value() - bin.positive.value()));
  }
  return off.value() / log_loss_.weight();
}

void ClassificationMeter::add_calibration(ClassificationMetrics& m) const {
  const double unit = m.weight / effective_rows(m.weight, squared_weights_.value());
  CalibrationInterval interval;
  for (const Bin& bin : bins_) {
    const double weight = bin.positive.weight();
    if (!(weight > 0)) continue;
    const double share = bin.positive.value();
    m.calibration.push_back(
        {bin.probability.value(), share, weight, share_interval(share, weight / unit)});
    interval.add(weight / m.weight, bin.probability.value(), share, weight / unit);
  }
  m.intervals.calibration_error = interval.around(*m.calibration_error);
}

void ClassificationMeter::add_intervals(ClassificationMetrics& m) const {
  const double rows = effective_rows(m.weight, squared_weights_.value());
  const double unit = m.weight / rows;  // the weight of an effective row
  auto& intervals = m.intervals;
  intervals.error = share_interval(m.error, rows);
  intervals.accuracy = complement(intervals.error);
  if (m.precision) intervals.precision = share_interval(*m.precision, (m.tp + m.fp) / unit);
  if (m.recall) intervals.recall = share_interval(*m.recall, (m.tp + m.fn) / unit);
  if (m.f1) intervals.f1 = f1_interval(m.tp / unit, (m.fp + m.fn) / unit);
  if (m.auc) intervals.auc = auc_interval(*m.auc, (m.tp + m.fn) / unit, (m.tn + m.fp) / unit);
  if (m.log_loss) intervals.log_loss = mean_interval(*m.log_loss, log_loss_.standard_error());
}

ClassificationMetrics ClassificationMeter::finish() {
  ClassificationMetrics m;
  m.rows = rows_;
  m.tp = tp_.value();
  m.fp = fp_.value();
  m.tn = tn_.value();
  m.fn = fn_.value();
  m.weight = m.tp + m.fp + m.tn + m.fn;
  m.error = (m.fp + m.fn) / m.weight;
  m.accuracy = (m.tp + m.tn) / m.weight;
  m.precision = ratio(m.tp, m.tp + m.fp);
  m.recall = ratio(m.tp, m.tp + m.fn);
  m.f1 = ratio(2 * m.tp, 2 * m.tp + m.fp + m.fn);
  if (rows_with_logit_ == rows_ && m.weight > 0) {
    m.log_loss = log_loss_.value();
    m.calibration_error = calibration_error();
    add_calibration(m);
  }
  m.auc = auc_.finish();
  m.curve = auc_.curve();
  if (m.weight > 0) add_intervals(m);
  return m;
}

MulticlassMeter::MulticlassMeter(std::vector<double> labels)
    : labels_(std::move(labels)),
      confusion_(labels_.size(), std::vector<CompensatedSum>(labels_.size())) {}

void MulticlassMeter::add(size_t predicted, size_t truth, double weight,
                          std::optional<double> log_probability) {
  ++rows_;
  confusion_[truth][predicted].add(weight);
  squared_weights_.add(weight * weight);
  if (!log_probability) return;
  ++rows_with_probability_;
  log_loss_.add(-*log_probability, weight);
}

MulticlassMetrics MulticlassMeter::finish() const {
  const size_t k = labels_.size();
  MulticlassMetrics m;
  m.rows = rows_;
  m.confusion.assign(k, std::vector<double>(k));
  std::vector<double> of_truth(k), of_prediction(k);
  double right = 0;
  for (size_t truth = 0; truth < k; ++truth) {
    for (size_t predicted = 0; predicted < k; ++predicted) {
      const double weight = confusion_[truth][predicted].value();
      m.confusion[truth][predicted] = weight;
      of_truth[truth] += weight;
      of_prediction[predicted] += weight;
      m.weight += weight;
    }
    right += m.confusion[truth][truth];
  }
  m.accuracy = right / m.weight;
  m.error = (m.weight - right) / m.weight;
  for (size_t c = 0; c < k; ++c) {
    const double hits = m.confusion[c][c];
    m.classes.push_back({labels_[c],
                         ratio(hits, of_prediction[c]),
                         ratio(hits, of_truth[c]),
                         ratio(2 * hits, of_truth[c] + of_prediction[c]),
                         {},
                         {},
                         {}});
  }
  if (!(m.weight > 0)) return m;
  const double rows = effective_rows(m.weight, squared_weights_.value());
  m.intervals.error = share_interval(m.error, rows);
  m.intervals.accuracy = complement(m.intervals.error);
  const double unit = m.weight / rows;  // the weight of an effective row
  for (size_t c = 0; c < k; ++c) {
    MulticlassMetrics::Class& one = m.classes[c];
    const double hits = m.confusion[c][c];
    if (one.precision)
      one.precision_interval = share_interval(*one.precision, of_prediction[c] / unit);
    if (one.recall) one.recall_interval = share_interval(*one.recall, of_truth[c] / unit);
    if (one.f1) {
      one.f1_interval =
          f1_interval(hits / unit, (of_truth[c] + of_prediction[c] - 2 * hits) / unit);
    }
  }
  if (rows_with_probability_ != rows_) return m;
  m.log_loss = log_loss_.value();
  m.intervals.log_loss = mean_interval(*m.log_loss, log_loss_.standard_error());
  return m;
}

void RegressionMeter::add(double prediction, double y, double weight) {
  require_number(prediction, "prediction");
  ++rows_;
  if (weight == 0) return;
  const double error = prediction - y;
  squared_error_.add(error * error, weight);
  absolute_error_.add(std::abs(error), weight);
  const double before = y_.weight() > 0 ? y_.value() : y;
  y_.add(y, weight);
  y_scatter_.add(weight * (y - before) * (y - y_.value()));
}

RegressionMetrics RegressionMeter::finish() const {
  RegressionMetrics m;
  m.rows = rows_;
  m.weight = y_.weight();
  m.rmse = std::sqrt(squared_error_.value());
  m.mae = absolute_error_.value();
  const double variance = y_scatter_.value() / m.weight;
  m.intervals.rmse = root_interval(squared_error_.value(), squared_error_.standard_error());
  m.intervals.mae = mean_interval(m.mae, absolute_error_.standard_error());
  if (!(variance > 0 && std::isfinite(variance))) return m;
  m.r2 = 1 - squared_error_.value() / variance;
  if (const auto se = squared_error_.standard_error()) {
    m.intervals.r2 = {{*m.r2 - kNormal95 * *se / variance, *m.r2 + kNormal95 * *se / variance}};
    m.intervals.r2->high = std::fmin(1, m.intervals.r2->high);
  }
  return m;
}

}  // namespace thresh
