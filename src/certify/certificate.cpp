// Makes certificates and describes them in words.

#include "thresh/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/bounds.hpp"
#include "certify/classes.hpp"
#include "certify/examination.hpp"
#include "certify/row_set_text.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// Why these options have no certificate; "" if they have one.
std::string no_certificate(const Options& options) {
  const std::string& solver = options.solver;
  if (solver == "ftrl") return "what ftrl minimises changes with every row";
  if (solver != kPerceptron && !has_penalty(solver) && !has_ball(solver)) {
    return fmt::format("the limit on features that {} learns with is not convex", solver);
  }
  if (!options.feature_labels_file.empty()) return "--feature-labels are not in the model";
  if (options.solver_options.contains("penalties")) return "--penalties are not in the model";
  const auto& own = options.solver_options;
  if (own.contains("ball-weights")) return "it is about a ball without weights";
  if (own.contains("lower") || own.contains("upper")) return "it is about weights without limits";
  if (solver == kPerceptron && options.iterate == Iterate::random) {
    return "the rows after the step drawn by --iterate random would count as unused";
  }
  if (solver == kPerceptron && options.iterate == Iterate::average) {
    return "its rows reproduce the last model, not the average of all";
  }
  return "";
}

// Adds the compression set of a model or class, and the number of updates.
void add_compression_set(const Examination& found, const CompressionSet& compression_set,
                         const TrainingFacts& facts, Json& json) {
  json["errors"] = found.facts().errors;
  json["updates"] = compression_set.updates;
  json["kernel_rows"] = compression_set.rows.size();
  json["kernel"] = row_set_text(compression_set.rows);
  json["started_from_model"] = facts.started_from_model;
}

// Rounds a number to digits that long doubles of all machines share, so that a model and its
// certificate have the same bytes everywhere. The tolerance of `verify` is larger than this loss.
double shared_digits(long double value, long double scale, int digits) {
  int exponent = 0;
  std::frexp(scale, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - digits);
  return static_cast<double>(std::round(value / unit) * unit);
}

void add_bound(const Examination& found, std::uint64_t errors, std::uint64_t compression_set,
               const TrainingFacts& facts, Json& json) {
  json["delta"] = facts.delta;
  const std::string obstacle = found.obstacle(errors, compression_set, facts.started_from_model);
  if (obstacle.empty()) {
    const long double bound = compression_bound(found.facts().rows, compression_set, facts.delta);
    json["bound"] = shared_digits(bound, bound, 36);
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
  const long double scale = std::max(gap.objective, gap.at_zero);
  json["objective"] = shared_digits(gap.objective, scale, 46);
  json["gap"] = shared_digits(gap.gap(), scale, 46);
}

// The certificate of a two-class model, or of one class against the rest, without the bound.
Json begin_certificate(const Claimed& claimed, const Examination& found, const TrainingFacts& facts,
                       std::size_t number) {
  const bool perceptron = claimed.model.solver == kPerceptron;
  Json json;
  json["kind"] = perceptron ? kCompression : kGap;
  json["rows"] = found.facts().rows;
  json["data"] = found.facts().fingerprint;
  if (perceptron) {
    add_compression_set(found, facts.compression_sets.at(number), facts, json);
  } else {
    add_gap(found, json);
  }
  return json;
}

Json of_two_classes(const Claimed& claimed, const TrainingFacts& facts) {
  const Examination found(claimed);
  Json json = begin_certificate(claimed, found, facts, 0);
  if (claimed.model.solver == kPerceptron) {
    add_bound(found, found.facts().errors, facts.compression_sets.at(0).rows.size(), facts, json);
  }
  return json;
}

// One class against the rest. Its members refer to each other, so it must not move.
struct ClassExamined {
  ClassExamined(const Claimed& all, std::size_t number, std::uint64_t updates)
      : alone(class_alone(all.model, number, updates)),
        claimed(claim_of(all, alone, number)),
        found(claimed) {}

  Model alone;
  Claimed claimed;
  Examination found;
};

Json of_many_classes(const Claimed& claimed, const TrainingFacts& facts) {
  const Model& model = claimed.model;
  const bool perceptron = model.solver == kPerceptron;
  Json json;
  json["kind"] = perceptron ? kCompression : kGap;
  json["classes"] = Json::array();
  std::vector<std::vector<std::uint64_t>> compression_sets;
  std::optional<ClassExamined> last;  // all classes have the same rows
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    last.emplace(claimed, c, perceptron ? facts.compression_sets.at(c).updates : 0);
    json["classes"].push_back(begin_certificate(last->claimed, last->found, facts, c));
    if (perceptron) compression_sets.push_back(facts.compression_sets.at(c).rows);
  }
  json["rows"] = last->found.facts().rows;
  if (!perceptron) return json;
  json["errors"] = wrong_classes(claimed);
  json["kernel_rows"] = size_of_union(compression_sets);
  add_bound(last->found, json["errors"], json["kernel_rows"], facts, json);
  return json;
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
  if (!classes || source.survey()->labels.size() <= 2) return;
  std::string why;
  if (options.multiclass == Multiclass::softmax) why = "under one softmax classes are no parts";
  if (options.shared_budget) why = "classes that share a budget are no parts";
  if (options.solver_options.contains("lambda-ratio"))
    why = "--lambda-ratio means another lambda a class";
  if (why.empty()) return;
  throw Error(fmt::format("{}: no certificate: there are more than two classes, and {}",
                          source.name(), why));
}

std::string certify(const Model& model, const Problem& rows, const TrainingFacts& facts) {
  const Claimed claimed{model, rows.train, rows.features, facts.weights_file};
  return (model.classes.empty() ? of_two_classes(claimed, facts) : of_many_classes(claimed, facts))
      .dump();
}

std::vector<std::string> certificate_lines(const Model& model) {
  const Json json = Json::parse(model.certificate);
  const Json parts = json.value("classes", Json::array({json}));
  const std::string of_classes =
      parts.size() > 1 ? fmt::format(" of {} classes, each against the rest", parts.size()) : "";
  if (json.at("kind") == kGap) {
    double objective = 0, gap = 0;
    for (const Json& part : parts) {
      objective += part.at("objective").get<double>();
      gap += part.at("gap").get<double>();
    }
    return {fmt::format("certificate: objective {:.9g}{}", objective,
                        of_classes.empty() ? "" : ", the sum" + of_classes),
            "certificate: duality gap " + gap_text(objective, gap)};
  }
  const std::uint64_t rows = json.at("rows"), errors = json.at("errors");
  return {fmt::format("certificate: {} of {} rows misclassified, {} rows caused all updates{}",
                      errors, rows, json.at("kernel_rows").get<std::uint64_t>(), of_classes),
          "certificate: " + (json.at("bound").is_null()
                                 ? "the bound of eq. 17 does not apply: " +
                                       json.at("does_not_apply").get<std::string>()
                                 : bound_text(json.at("bound"), json.at("delta")))};
}

}  // namespace thresh
