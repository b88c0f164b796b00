// Results as JSON, printed by eval and explain and shown by report.
#pragma once

#include <cstddef>

#include "common.hpp"
#include "thresh/explain.hpp"
#include "thresh/metrics.hpp"

namespace thresh::cli {

// ClassificationMetrics, MulticlassMetrics or RegressionMetrics.
template <class Metrics>
Json metrics_json(const Metrics& metrics, const Model& model);

Json feature_json(const Coefficient& feature);
// The first `top` of explain --summary.
Json uses_json(const FeatureUses& uses, const Model& model, std::size_t top);

}  // namespace thresh::cli
