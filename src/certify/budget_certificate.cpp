#include "certify/budget_certificate.hpp"

#include <fmt/format.h>

#include "certify/proof_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace thresh {
namespace {

// Digits that long doubles of all machines share, so that a certificate has the same bytes
// everywhere: a number is moved to a multiple of this share of the scale.
constexpr long double kGrid = 0x1p-44L;

long double scale_of(const SubsetBound& found) {
  return std::max({found.objective, found.constant, 1e-300L});
}
double on_grid(long double value, long double scale, long double (*round)(long double)) {
  int exponent = 0;
  std::frexp(scale, &exponent);
  const long double unit = std::ldexp(kGrid, exponent);
  return static_cast<double>(round(value / unit) * unit);
}

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

SubsetBound bound_of(const Record& claim, const Examination& found) {
  const Claimed& claimed = found.claimed();
  const SubsetProblem problem = problem_of(claim, claimed);
  return subset_bound(problem, found.rows(), found.weights(), dual_of(claim, claimed),
                      tree_of(claim, claimed));
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

// The features that the options of the training name, by index.
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

std::string problem_text(const SubsetFacts& facts, const Record& claim, const Model& model) {
  const std::size_t kept = claim.value("keep", Value::List()).list().size();
  return fmt::format(
      "mean {} loss + {:.6g}/2 sum_j s_j w_j^2, at most {} {}{}; s_j is the size of feature j",
      model.options.at("loss").text(), facts.ridge, facts.features,
      facts.features == 1 ? "feature" : "features",
      kept > 0 ? fmt::format(", {} of them kept", kept) : "");
}

// Rounded up to two digits, at least.
std::string at_most_percent(double share) {
  const double percent = 100 * std::max(0.0, share);
  if (percent == 0) return "0%";
  const double unit = std::pow(10.0, std::floor(std::log10(percent)) - 1);
  return fmt::format("{:.6g}%", std::ceil(percent / unit) * unit);
}

// Adds the tree if it proves more than the dual point alone: `bound`, which it replaces.
//
// What a tree proves depends on the bound that it is said to prove, as that decides which features
// are fixed. At the bound that it proved, it proves the same again.
void add_tree(const Proof& proof, const Examination& found, SubsetBound& bound, Record& claim) {
  constexpr int kMostTries = 4;
  constexpr double kDigits = 1e-6;  // more than the points lose in text
  Record with = claim;
  Value::List tree;
  for (const ProofNode& node : proof.nodes) tree.emplace_back(proof_text(node));
  with["tree"] = std::move(tree);
  double claimed = proof.bound / static_cast<double>(found.facts().weight) -
                   kDigits * static_cast<double>(bound.objective);
  for (int number = 0; number < kMostTries && claimed > bound.bound; ++number) {
    with["bound"] = claimed;
    const SubsetBound proved = bound_of(with, found);
    const long double scale = scale_of(proved);
    const double again = std::max(0.0, on_grid(proved.bound - kGrid * scale, scale, std::floor));
    if (again == claimed) {
      bound = proved;
      claim = std::move(with);
      return;
    }
    claimed = again;
  }
}

}  // namespace

void add_subset_bound(const Examination& found, const DualPoint& dual, std::size_t part,
                      Record& claim) {
  const Model& model = dual.model;
  claim["ridge"] = static_cast<double>(dual.ridge / found.facts().weight);
  claim["features"] = dual.features;
  claim["keep"] = kept_of(found.claimed().model);
  claim["dual"] =
      record_of(model.classes.empty() ? ClassPart{0, model.intercept, model.coefficients}
                                      : model.classes.at(part));
  SubsetBound bound = bound_of(claim, found);
  if (part < dual.proofs.size() && !dual.proofs[part].nodes.empty()) {
    add_tree(dual.proofs[part], found, bound, claim);
  }
  const long double scale = scale_of(bound);
  claim["objective"] = on_grid(bound.objective, scale, std::ceil);
  claim["bound"] = std::max(0.0, on_grid(bound.bound - kGrid * scale, scale, std::floor));
  claim["without_features"] = on_grid(bound.constant, scale, std::round);
  claim["proved_in"] = indices_of(bound.proved_in, found.claimed());
  claim["proved_out"] = bound.proved_out;
  claim["occurring"] = bound.occurring;
}

SubsetFacts::SubsetFacts(const Record& claim) {
  const Value::List parts = claim.value("classes", Value::List{claim}).list();
  classes = parts.size();
  for (const Value& value : parts) {
    const Record& part = value.record();
    ridge = part.at("ridge").number();
    features = part.at("features").count();
    objective += part.at("objective").number();
    bound += part.at("bound").number();
    constant += part.at("without_features").number();
    proved_in += part.at("proved_in").list().size();
    proved_out += part.at("proved_out").count();
    occurring += part.at("occurring").count();
  }
}

BudgetBound budget_bound(const Record& certificate) {
  const SubsetFacts facts(certificate);
  return {facts.ridge, facts.objective, facts.bound, facts.constant};
}

std::string SubsetFacts::gap_text() const {
  const double gap = objective - bound, most = constant - bound;
  std::string text = fmt::format("no other choice of {} {} lowers the objective by more than {}",
                                 features, features == 1 ? "feature" : "features",
                                 at_most_percent(objective > 0 ? gap / objective : 0));
  if (most > 0) {
    text += fmt::format(" ({} of what features could gain over none)", at_most_percent(gap / most));
  }
  return text;
}

std::string SubsetFacts::screening_text() const {
  return fmt::format("{} of {} features are in every best choice, {} in none", proved_in, occurring,
                     proved_out);
}

std::vector<std::string> subset_lines(const Record& claim, const Model& model) {
  const SubsetFacts facts(claim);
  const std::string sum =
      facts.classes > 1
          ? fmt::format(", the sum of {} classes, each against the rest", facts.classes)
          : "";
  return {"certificate: " + problem_text(facts, claim, model),
          fmt::format("certificate: objective {:.9g}, bound {:.9g}{}", facts.objective, facts.bound,
                      sum),
          "certificate: " + facts.gap_text(), "certificate: " + facts.screening_text()};
}

std::vector<Check> check_subset_bound(const Examination& found, const Record& claim) {
  const Model& model = found.claimed().model;
  std::vector<Check> checks;
  const auto check = [&](const char* name, bool holds, std::string text) {
    checks.push_back({name, holds, std::move(text)});
    return holds;
  };
  const SubsetFacts facts(claim);
  const Value& limit = model.options.at("features");
  if (!limit.is_null() && limit.count() != facts.features) {
    check("features", false, fmt::format("{}, not {}", limit.count(), facts.features));
    return checks;
  }
  if (model.coefficients.size() > facts.features) {
    check("features", false,
          fmt::format("{} weights, more than {}", model.coefficients.size(), facts.features));
    return checks;
  }
  if (Value(kept_of(model)) != claim.at("keep")) {
    check("keep", false, "other features than the training kept");
    return checks;
  }
  const SubsetBound now = bound_of(claim, found);
  const long double slack = 4 * kGrid * scale_of(now);
  const auto differs = [&](const char* name, long double is, double said) {
    if (std::fabs(is - said) <= slack) return false;
    return !check(name, false, fmt::format("{:.9g}, not {:.9g}", static_cast<double>(is), said));
  };
  check("problem", true, problem_text(facts, claim, model));
  if (differs("objective", now.objective, facts.objective)) return checks;
  check("objective", true, fmt::format("{:.9g}", facts.objective));
  if (differs("without features", now.constant, facts.constant)) return checks;
  if (facts.bound > now.bound || differs("bound", now.bound, facts.bound)) {
    if (checks.back().holds) {
      check("bound", false,
            fmt::format("{:.17g} is above {:.17g}", facts.bound, static_cast<double>(now.bound)));
    }
    return checks;
  }
  check("bound", true, fmt::format("{:.9g}: {}", facts.bound, facts.gap_text()));
  const bool same = Value(indices_of(now.proved_in, found.claimed())) == claim.at("proved_in") &&
                    now.proved_out == facts.proved_out && now.occurring == facts.occurring;
  check("screening", same, same ? facts.screening_text() : "other features are proved in or out");
  return checks;
}

}  // namespace thresh
