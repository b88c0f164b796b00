#include "results_json.hpp"

namespace thresh::cli {

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
