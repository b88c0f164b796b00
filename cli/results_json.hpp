// What explain prints as JSON and report shows.
#pragma once

#include <cstddef>

#include "common.hpp"
#include "thresh/explain.hpp"

namespace thresh::cli {

Json feature_json(const Coefficient& feature);
// The first `top` of explain --summary.
Json uses_json(const FeatureUses& uses, const Model& model, std::size_t top);

}  // namespace thresh::cli
