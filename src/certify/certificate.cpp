// Making a certificate, and what it says.

#include "certify/certificate.hpp"

#include <fmt/format.h>

#include "certify/bounds.hpp"
#include "certify/examination.hpp"
#include "certify/kernel_text.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// Why a run with these options can have no certificate; "" if it can.
std::string no_certificate(const Options& options) {
  const std::string& solver = options.solver;
  if (solver == "ftrl") return "what ftrl minimises changes with every row";
  if (solver != kPerceptron && !has_penalty(solver) && !has_ball(solver)) {
    return fmt::format("the limit on features that {} learns with is not convex", solver);
  }
  if (!options.feature_labels_file.empty()) return "--feature-labels are not in the model";
  if (options.own.contains("penalties")) return "--penalties are not in the model";
  return "";
}

void add_compression(const Examination& found, const TrainingFacts& facts, Json& json) {
  const std::uint64_t rows = found.facts().rows, kernel = facts.kernel.size();
  json["errors"] = found.facts().errors;
  json["updates"] = found.updates();
  json["kernel_rows"] = kernel;
  json["kernel"] = kernel_text(facts.kernel);
  json["started_from_model"] = facts.started_from_model;
  json["delta"] = facts.delta;
  const std::string obstacle = found.obstacle(kernel, facts.started_from_model);
  if (obstacle.empty()) {
    json["bound"] = static_cast<double>(compression_bound(rows, kernel, facts.delta));
  } else {
    json["bound"] = nullptr;
    json["does_not_apply"] = obstacle;
  }
}

void add_gap(const Examination& found, Json& json) {
  const ConvexProblem problem = found.problem();
  if (problem.radius) {
    json["radius"] = *problem.radius;
  } else {
    json["lambda"] = problem.lambda;
  }
  const DualityGap gap = found.gap();
  json["objective"] = static_cast<double>(gap.objective);
  json["gap"] = static_cast<double>(gap.gap());
}

}  // namespace

void check_certifiable(const Options& options) {
  const std::string why = no_certificate(options);
  if (!why.empty()) throw UsageError("--certify: no certificate: " + why);
}

bool has_bound(const Options& options) {
  return options.solver == kPerceptron;
}

void check_certifiable(const Options& options, const RowSource& source) {
  const bool classes = options.task == Task::classification;
  if (classes && source.survey()->labels.size() > 2) {
    throw Error(source.name() + ": no certificate: there are more than two classes");
  }
}

std::string certify(const Claimed& claimed, const TrainingFacts& facts) {
  const Examination found(claimed);
  const bool perceptron = claimed.model.solver == kPerceptron;
  Json json;
  json["kind"] = perceptron ? kCompression : kGap;
  json["rows"] = found.facts().rows;
  json["data"] = found.facts().fingerprint;
  if (perceptron) {
    add_compression(found, facts, json);
  } else {
    add_gap(found, json);
  }
  return json.dump();
}

std::vector<std::string> certificate_lines(const Model& model) {
  const Json json = Json::parse(model.certificate);
  if (json.at("kind") == kGap) {
    const double objective = json.at("objective");
    return {fmt::format("certificate: objective {:.9g}", objective),
            "certificate: duality gap " + gap_text(objective, json.at("gap"))};
  }
  const std::uint64_t rows = json.at("rows"), errors = json.at("errors");
  return {fmt::format("certificate: {} of {} rows misclassified, {} rows caused all updates",
                      errors, rows, json.at("kernel_rows").get<std::uint64_t>()),
          "certificate: " + (json.at("bound").is_null()
                                 ? "the bound of eq. 17 does not apply: " +
                                       json.at("does_not_apply").get<std::string>()
                                 : bound_text(json.at("bound"), json.at("delta")))};
}

}  // namespace thresh
