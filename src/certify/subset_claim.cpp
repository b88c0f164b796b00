#include "certify/subset_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "certify/proof_text.hpp"
#include "thresh/certificate.hpp"

namespace thresh {
namespace {

std::uint64_t base_of(const Model& model) {
  return model.zero_based ? 0 : 1;
}

std::uint32_t slot_of(std::uint64_t index, const Claimed& claimed) {
  if (index < base_of(claimed.model) || index > claimed.model.dimension) {
    throw RecordError("a feature that the data lack");
  }
  return claimed.features->slot(index - base_of(claimed.model));
}

SlotPoint slot_point(const ProofNode& node, const Claimed& claimed) {
  SlotPoint point;
  point.intercept = node.intercept;
  for (std::size_t j = 0; j < node.weights.size(); ++j) {
    const auto& [index, weight] = node.weights[j];
    if (j > 0 && index <= node.weights[j - 1].first) {
      throw RecordError("dual: features must ascend");
    }
    point.weights.emplace_back(slot_of(index, claimed), weight);
  }
  return point;
}

}  // namespace

SlotPoint dual_of(const Record& claim, const Claimed& claimed) {
  const Record& dual = claim.at("dual").record();
  const Value::List& features = dual.at("features").list();
  const Value::List& weights = dual.at("weights").list();
  if (features.size() != weights.size()) throw RecordError("dual: other numbers of weights");
  ProofNode all;
  for (std::size_t j = 0; j < features.size(); ++j) {
    all.weights.emplace_back(features[j].count(), weights[j].number());
  }
  all.intercept = dual.at("intercept").number();
  return slot_point(all, claimed);
}

BoundTree tree_of(const Record& claim, const Claimed& claimed) {
  BoundTree tree;
  if (!claim.has("tree")) return tree;
  tree.claimed = claim.at("bound").number();
  for (const Value& each : claim.at("tree").list()) {
    const ProofNode node = parse_proof_node(each.text());
    BoundNode& to = tree.nodes.emplace_back();
    if (node.branch) to.branch = slot_of(*node.branch, claimed);
    if (node.has_point) to.point = slot_point(node, claimed);
  }
  if (tree.nodes.empty()) throw RecordError("tree: no nodes");
  return tree;
}

SubsetProblem problem_of(const Record& claim, const Claimed& claimed) {
  const Model& model = claimed.model;
  SubsetProblem problem;
  const std::string& name = model.options.at("loss").text();
  const std::optional<Loss> loss = loss_named(name);
  if (!loss || *loss == Loss::hinge || is_for_numbers(*loss)) {
    throw CertificateError(fmt::format("--loss {} cannot be certified", name));
  }
  problem.loss = *loss;
  problem.intercept = model.has_intercept;
  problem.ridge = claim.at("ridge").number();
  if (!(problem.ridge > 0) || !std::isfinite(problem.ridge)) {
    throw CertificateError("the ridge of the certificate is not above 0");
  }
  problem.features = claim.at("features").count();
  for (const Value& each : claim.at("keep").list()) {
    const std::uint64_t index = each.count();
    if (index < base_of(model) || index > model.dimension) throw RecordError("keep: no feature");
    problem.kept.push_back(claimed.features->slot(index - base_of(model)));
  }
  std::sort(problem.kept.begin(), problem.kept.end());
  problem.kept.erase(std::unique(problem.kept.begin(), problem.kept.end()), problem.kept.end());
  if (model.options.value("scale", "none").text() == "auto") {
    // As the training does: without an intercept nothing makes up for a centre.
    const std::uint64_t end = model.has_intercept ? claimed.features->identity_end() : 0;
    problem.scales = table_scales(*claimed.source, end);
  }
  return problem;
}

std::vector<std::uint64_t> indices_of(const std::vector<std::uint32_t>& slots,
                                      const Claimed& claimed) {
  std::vector<std::uint64_t> all;
  for (const std::uint32_t slot : slots) {
    all.push_back(claimed.features->id(slot) + base_of(claimed.model));
  }
  std::sort(all.begin(), all.end());
  return all;
}

Record record_of(const ClassPart& dual) {
  Value::List features, weights;
  for (const Coefficient& each : dual.coefficients) {
    features.emplace_back(each.index);
    weights.emplace_back(each.weight);
  }
  Record record;
  record["intercept"] = dual.intercept;
  record["features"] = std::move(features);
  record["weights"] = std::move(weights);
  return record;
}

std::vector<std::uint64_t> kept_of(const Model& model) {
  std::vector<std::uint64_t> kept;
  const Value named_by_options = model.options.value("keep", Value::List());
  for (const Value& each : named_by_options.list()) {
    if (std::holds_alternative<std::uint64_t>(each.content())) {
      kept.push_back(each.count());
      continue;
    }
    const std::string& text = each.text();
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size()) {
      kept.push_back(index);
      continue;
    }
    const auto named = std::find_if(model.coefficients.begin(), model.coefficients.end(),
                                    [&](const Coefficient& c) { return c.name == text; });
    if (named == model.coefficients.end()) {
      throw Error("the feature " + text + ", which --keep names, has no weight");
    }
    kept.push_back(named->index);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

}  // namespace thresh
