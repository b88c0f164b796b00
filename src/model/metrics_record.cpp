#include <utility>

#include "thresh/metrics.hpp"
#include "thresh/model.hpp"

namespace thresh {
namespace {

Value limits(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Value::List{interval->low, interval->high};
}

Value label(const Model& model, double number) {
  if (model.label_names.empty()) return number;
  return model.label_text(number);
}

// Figures, each with its interval.
class Figures {
 public:
  template <class Metrics>
  explicit Figures(const Metrics& m) {
    all_["rows"] = m.rows;
    all_["weight"] = m.weight;
  }
  void add(const char* name, const Value& figure, const std::optional<Interval>& interval) {
    all_[name] = figure;
    intervals_[name] = limits(interval);
  }
  // What metrics of two and of more classes have in common.
  template <class Metrics>
  void add_errors(const Metrics& m) {
    add("error", m.error, m.intervals.error);
    add("accuracy", m.accuracy, m.intervals.accuracy);
    add("log_loss", m.log_loss, m.intervals.log_loss);
  }
  Value& operator[](const char* name) { return all_[name]; }
  template <class Metrics>
  Record with_facts(const Metrics& m, const Model& model) && {
    all_["intervals"] = intervals_;
    all_["bad_rows"] = m.bad_rows;
    all_["nonzeros"] = model.nonzeros();
    all_["dimension"] = model.dimension;
    if (!model.classes.empty()) all_["weights"] = model.dimension * model.classes.size();
    return std::move(all_);
  }

 private:
  Record all_, intervals_;
};

// ROC, precision against recall and gains, from one list of thresholds.
Value curve(const ClassificationMetrics& m) {
  Value::List points;
  for (const CurvePoint& point : m.curve) {
    const double above = point.positives + point.negatives;
    Record each;
    each["share"] = above / m.weight;
    each["true_positive_rate"] = point.positives / (m.tp + m.fn);
    each["false_positive_rate"] = point.negatives / (m.tn + m.fp);
    each["precision"] = above > 0 ? Value(point.positives / above) : Value();
    points.emplace_back(std::move(each));
  }
  return points;
}

Value calibration(const ClassificationMetrics& m) {
  Value::List bins;
  for (const CalibrationBin& bin : m.calibration) {
    Record each;
    each["probability"] = bin.probability;
    each["positives"] = bin.positives;
    each["weight"] = bin.weight;
    each["interval"] = limits(bin.interval);
    bins.emplace_back(std::move(each));
  }
  return bins;
}

Value of_class(const MulticlassMetrics::Class& c, const Model& model) {
  Record each, intervals;
  each["label"] = label(model, c.label);
  each["precision"] = c.precision;
  each["recall"] = c.recall;
  each["f1"] = c.f1;
  intervals["precision"] = limits(c.precision_interval);
  intervals["recall"] = limits(c.recall_interval);
  intervals["f1"] = limits(c.f1_interval);
  each["intervals"] = intervals;
  return each;
}

}  // namespace

Record metrics_record(const ClassificationMetrics& m, const Model& model) {
  Figures figures(m);
  figures.add_errors(m);
  Record labels, confusion;
  labels["positive"] = label(model, model.positive_label);
  labels["negative"] = label(model, model.negative_label);
  figures["labels"] = labels;
  figures.add("auc", m.auc, m.intervals.auc);
  figures.add("f1", m.f1, m.intervals.f1);
  figures.add("precision", m.precision, m.intervals.precision);
  figures.add("recall", m.recall, m.intervals.recall);
  figures.add("calibration_error", m.calibration_error, m.intervals.calibration_error);
  confusion["tp"] = m.tp;
  confusion["fp"] = m.fp;
  confusion["tn"] = m.tn;
  confusion["fn"] = m.fn;
  figures["confusion"] = confusion;
  if (!m.curve.empty()) figures["curve"] = curve(m);
  if (!m.calibration.empty()) figures["calibration"] = calibration(m);
  return std::move(figures).with_facts(m, model);
}

Record metrics_record(const MulticlassMetrics& m, const Model& model) {
  Figures figures(m);
  figures.add_errors(m);
  Value::List classes;
  for (const MulticlassMetrics::Class& c : m.classes) classes.push_back(of_class(c, model));
  figures["classes"] = classes;
  figures["confusion"] = m.confusion;
  return std::move(figures).with_facts(m, model);
}

Record metrics_record(const RegressionMetrics& m, const Model& model) {
  Figures figures(m);
  figures.add("rmse", m.rmse, m.intervals.rmse);
  figures.add("mae", m.mae, m.intervals.mae);
  figures.add("r2", m.r2, m.intervals.r2);
  const auto add = [&](const char* name, const auto& figure, const auto& interval) {
    if (figure) figures.add(name, figure, interval);
  };
  add("deviance", m.deviance, m.intervals.deviance);
  add("huber", m.huber, m.intervals.huber);
  add("pinball", m.pinball, m.intervals.pinball);
  add("below", m.below, m.intervals.below);
  return std::move(figures).with_facts(m, model);
}

}  // namespace thresh
