// evaluate() for margins from anywhere.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <variant>

#include "data/feed/window.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Computes the margin of a row, or one for each class.
using MarginsOf = std::function<void(const Row& row, std::span<double> out)>;

// How labels in the data become those of the model.
LabelMap labels_of_model(const Model& model);
// `view` has these labels.
std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate_by(
    const Model& model, const MarginsOf& margins, const std::shared_ptr<RowSource>& rows,
    const RowView& view);

}  // namespace thresh
