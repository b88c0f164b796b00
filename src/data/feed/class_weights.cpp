#include "data/feed/class_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "data/names/label_names.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {

ClassWeights parse_class_weights(const std::string& text) {
  ClassWeights weights;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t at = part.rfind('=');  // a label may have one, too
    const auto weight = at == std::string::npos ? std::nullopt : parse_finite(part.substr(at + 1));
    if (!weight || at == 0) {
      throw UsageError(
          fmt::format("--class-weight {}: use balanced, or LABEL=WEIGHT,LABEL=WEIGHT", text));
    }
    const std::string label = part.substr(0, at);
    if (!(*weight > 0)) {
      throw UsageError(fmt::format("--class-weight {}: the weight must be above 0", part));
    }
    const auto same = [&](const auto& each) { return each.first == label; };
    if (std::any_of(weights.begin(), weights.end(), same)) {
      throw UsageError(fmt::format("--class-weight {}: {} stands there twice", text, label));
    }
    weights.emplace_back(label, *weight);
  }
  if (weights.empty()) throw UsageError("--class-weight needs LABEL=WEIGHT, or balanced");
  return weights;
}

std::string class_weights_text(const ClassWeights& weights) {
  std::string text;
  for (const auto& [label, weight] : weights) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", label, weight);
  }
  return text;
}

std::vector<double> weights_by_class(const ClassWeights& weights, const LabelMap& labels,
                                     const Survey& survey) {
  const std::size_t classes = labels.class_labels().size();
  LabelMap map = labels;
  const auto index_of = [&](double label) {
    const double target = map.target(label);
    return static_cast<std::size_t>(classes > 0 ? target : target > 0 ? 1 : 0);
  };
  std::vector<double> all(classes > 0 ? classes : 2, 1);
  std::vector<char> named(all.size());
  LabelNames names(survey.label_names);
  for (const auto& [label, weight] : weights) {
    std::size_t at = 0;
    try {
      at = index_of(names.code(label));
    } catch (const Error& error) {
      throw Error(fmt::format("--class-weight {}: {}", label, error.what()));
    }
    if (named[at] != 0) {
      throw Error(fmt::format("--class-weight {}: this class has a weight already", label));
    }
    named[at] = 1;
    all[at] = weight;
  }
  double sum = 0;
  for (const LabelCount& count : survey.labels) {
    sum += all[index_of(count.label)] * static_cast<double>(count.rows);
  }
  for (double& weight : all) weight *= static_cast<double>(survey.rows) / sum;
  return all;
}

}  // namespace thresh
