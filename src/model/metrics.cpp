#include "model/metrics.hpp"

#include <string>

#include "math/elementary.hpp"
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

void ClassificationMeter::add(double margin, double y, double weight, std::optional<double> logit) {
  auc_.add(margin, y > 0, weight);
  ++rows_;
  const bool predicted = margin > 0;
  const bool correct = predicted == (y > 0);
  (predicted ? (correct ? tp_ : fp_) : (correct ? tn_ : fn_)).add(weight);
  if (!logit) return;
  require_number(*logit, "logit");
  ++rows_with_logit_;
  log_loss_.add(logistic_loss(y * *logit), weight);
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
  if (rows_with_logit_ == rows_ && m.weight > 0) m.log_loss = log_loss_.value();
  m.auc = auc_.finish();
  return m;
}

MulticlassMeter::MulticlassMeter(std::vector<double> labels)
    : labels_(std::move(labels)),
      confusion_(labels_.size(), std::vector<CompensatedSum>(labels_.size())) {}

void MulticlassMeter::add(size_t predicted, size_t truth, double weight,
                          std::optional<double> log_probability) {
  ++rows_;
  confusion_[truth][predicted].add(weight);
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
    m.classes.push_back({labels_[c], ratio(hits, of_prediction[c]), ratio(hits, of_truth[c]),
                         ratio(2 * hits, of_truth[c] + of_prediction[c])});
  }
  if (rows_with_probability_ == rows_ && m.weight > 0) m.log_loss = log_loss_.value();
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
  if (variance > 0 && std::isfinite(variance)) m.r2 = 1 - squared_error_.value() / variance;
  return m;
}

}  // namespace thresh
