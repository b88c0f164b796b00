#include "results_json.hpp"

namespace thresh::cli {
namespace {

Json to_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

// What metrics of two and of more classes have in common.
template <class Metrics>
Json errors_json(const Metrics& m) {
  return {{"rows", m.rows},
          {"error", m.error},
          {"accuracy", m.accuracy},
          {"log_loss", or_null(m.log_loss)},
          {"intervals",
           {{"error", to_json(m.intervals.error)},
            {"accuracy", to_json(m.intervals.accuracy)},
            {"log_loss", to_json(m.intervals.log_loss)}}}};
}

// ROC, precision against recall and gains, from one list of thresholds.
Json curve_json(const ClassificationMetrics& m) {
  Json curve = Json::array();
  for (const CurvePoint& point : m.curve) {
    const double above = point.positives + point.negatives;
    curve.push_back({{"share", above / m.weight},
                     {"true_positive_rate", point.positives / (m.tp + m.fn)},
                     {"false_positive_rate", point.negatives / (m.tn + m.fp)},
                     {"precision", above > 0 ? Json(point.positives / above) : Json()}});
  }
  return curve;
}

Json calibration_json(const ClassificationMetrics& m) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : m.calibration) {
    bins.push_back({{"probability", bin.probability},
                    {"positives", bin.positives},
                    {"weight", bin.weight},
                    {"interval", to_json(bin.interval)}});
  }
  return bins;
}

Json to_json(const ClassificationMetrics& m, const Model& model) {
  Json json = errors_json(m);
  json["labels"] = {{"positive", label_json(model, model.positive_label)},
                    {"negative", label_json(model, model.negative_label)}};
  json["auc"] = or_null(m.auc);
  json["f1"] = or_null(m.f1);
  json["precision"] = or_null(m.precision);
  json["recall"] = or_null(m.recall);
  json["calibration_error"] = or_null(m.calibration_error);
  Json& intervals = json["intervals"];
  intervals["auc"] = to_json(m.intervals.auc);
  intervals["f1"] = to_json(m.intervals.f1);
  intervals["precision"] = to_json(m.intervals.precision);
  intervals["recall"] = to_json(m.intervals.recall);
  intervals["calibration_error"] = to_json(m.intervals.calibration_error);
  json["confusion"] = {{"tp", m.tp}, {"fp", m.fp}, {"tn", m.tn}, {"fn", m.fn}};
  if (!m.curve.empty()) json["curve"] = curve_json(m);
  if (!m.calibration.empty()) json["calibration"] = calibration_json(m);
  return json;
}

Json to_json(const MulticlassMetrics& m, const Model& model) {
  Json json = errors_json(m);
  json["classes"] = Json::array();
  for (const MulticlassMetrics::Class& c : m.classes) {
    json["classes"].push_back({{"label", label_json(model, c.label)},
                               {"precision", or_null(c.precision)},
                               {"recall", or_null(c.recall)},
                               {"f1", or_null(c.f1)},
                               {"intervals",
                                {{"precision", to_json(c.precision_interval)},
                                 {"recall", to_json(c.recall_interval)},
                                 {"f1", to_json(c.f1_interval)}}}});
  }
  json["confusion"] = m.confusion;
  return json;
}

Json to_json(const RegressionMetrics& m, const Model&) {
  return {{"rows", m.rows},
          {"rmse", m.rmse},
          {"mae", m.mae},
          {"r2", or_null(m.r2)},
          {"intervals",
           {{"rmse", to_json(m.intervals.rmse)},
            {"mae", to_json(m.intervals.mae)},
            {"r2", to_json(m.intervals.r2)}}}};
}

}  // namespace

template <class Metrics>
Json metrics_json(const Metrics& metrics, const Model& model) {
  Json json = to_json(metrics, model);
  json["bad_rows"] = metrics.bad_rows;
  json["nonzeros"] = model.nonzeros();
  json["dimension"] = model.dimension;
  if (!model.classes.empty()) json["weights"] = model.dimension * model.classes.size();
  return json;
}
template Json metrics_json(const ClassificationMetrics&, const Model&);
template Json metrics_json(const MulticlassMetrics&, const Model&);
template Json metrics_json(const RegressionMetrics&, const Model&);

Json feature_json(const Coefficient& feature) {
  return {{"index", feature.index}, {"name", feature.name}, {"weight", feature.weight}};
}

Json uses_json(const FeatureUses& uses, const Model& model, std::size_t top) {
  Json json = {{"rows", uses.rows()}, {"features", Json::array()}};
  for (const FeatureUse& use : uses.sorted()) {
    if (json["features"].size() == top) break;
    Json feature = feature_json(*use.feature);
    if (!model.classes.empty()) {
      feature["label"] = label_json(model, model.classes[use.part].label);
    }
    feature["rows"] = use.rows;
    feature["strongest"] = use.strongest;
    feature["decisive"] = use.decisive;
    feature["mean"] = use.amount / static_cast<double>(use.rows);
    feature["mean_magnitude"] = use.magnitude / static_cast<double>(use.rows);
    json["features"].push_back(std::move(feature));
  }
  return json;
}

}  // namespace thresh::cli
